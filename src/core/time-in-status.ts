/** How long a document stayed in each state that it has left, by its history (console 1.9). */
import { erasedRemains } from './provenance/history-entries.ts'
import type { VerifiedEvent } from './provenance/history-verification.ts'

export interface Stay {
  status: string
  ms: number
}

/**
 * What either party may know: the time of a draft is its issuer's own. A state that the document is
 * in has not ended, so it counts nothing.
 */
export const staysOf = (
  events: readonly VerifiedEvent[],
  side: 'issuer' | 'counterparty',
): Stay[] => {
  const stays: Stay[] = []
  const remains = erasedRemains(events, ['shared', 'issuer'])
  let current: { status: string; since: number } | undefined
  for (const { header, open } of events) {
    const status =
      statusSetBy(open.shared?.body) ??
      statusSetBy(open.issuer?.body) ??
      remains.get(header.seq)?.status
    if (status === undefined || status === current?.status) continue
    const at = Date.parse(header.at)
    const isOwn = current?.status !== 'draft' || side === 'issuer'
    if (current !== undefined && isOwn)
      stays.push({ status: current.status, ms: Math.max(at - current.since, 0) })
    current = { status, since: at }
  }
  return stays
}

const statusSetBy = (body: { set?: Readonly<Record<string, unknown>> } | null | undefined) => {
  const status = body?.set?.['status']
  return typeof status === 'string' ? status : undefined
}

/**
 * The first ones of these documents whose histories are not too many or too long together. A long
 * one keeps out itself alone.
 */
export const fittingHistories = <D extends { head_seq: number }>(
  documents: readonly D[],
  max: { histories: number; events: number },
): D[] => {
  const fitting: D[] = []
  let events = 0
  for (const document of documents) {
    if (fitting.length === max.histories) break
    if (events + document.head_seq > max.events) continue
    events += document.head_seq
    fitting.push(document)
  }
  return fitting
}
