/**
 * A verified history as one side may read it. What only the other side may read is sealed: it shows
 * that it exists, when, and what it commits to.
 */
import type { HistoryEntry } from '../../contract/shapes/provenance.ts'
import type { Body, Role } from '../../../verifier/verify-bundle.mjs'
import { encodeId } from '../ids.ts'
import type { VerifiedEvent, VerifiedHistory } from './record-verification.ts'

export const otherSide = (side: Role): Role => (side === 'issuer' ? 'counterparty' : 'issuer')

/** Whether the event says nothing to this side, but something to the other. */
export const isSealedFor = ({ open }: VerifiedEvent, side: Role): boolean => {
  const isSilent = (slot: 'shared' | Role) => open[slot] !== undefined && open[slot].body === null
  return isSilent('shared') && isSilent(side) && !isSilent(otherSide(side))
}

/** What remains of the erased bodies of a slot: their seq, type and status. */
const erasedRemains = (events: readonly VerifiedEvent[], slots: readonly ('shared' | Role)[]) => {
  const found = new Map<number, { type: string | undefined; status: string | undefined }>()
  for (const { open } of events) {
    for (const slot of slots) {
      const erased = open[slot]?.body?.['erased'] as
        | { seq: number; type?: string; status?: string }[]
        | undefined
      for (const { seq, type, status } of erased ?? []) {
        const before = found.get(seq)
        found.set(seq, { type: before?.type ?? type, status: before?.status ?? status })
      }
    }
  }
  return found
}

export const historyEntries = (
  { events, textOf }: VerifiedHistory,
  side: Role,
  indexes: readonly number[],
): HistoryEntry[] => {
  const erased = erasedRemains(events, ['shared', side])
  let state: Record<string, unknown> = {}
  return events.map((event, i) => {
    const { header, open, hash } = event
    const index = indexes[i]
    const proof = {
      hash: hash.toString('hex'),
      prev: header.prev,
      log: index === undefined ? null : { index },
    }
    const known = { seq: header.seq, at: header.at }
    if (isSealedFor(event, side)) {
      const commitment = header.c[otherSide(side)]
      return { ...known, sealed: true, held_by: 'counterparty' as const, commitment, ...proof }
    }
    const [both, own] = [open.shared?.body, open[side]?.body]
    const before = statusOf(state)
    const erasedEntry = erased.get(header.seq)
    if (erasedEntry !== undefined && both?.type === undefined && own?.type === undefined) {
      if (erasedEntry.status !== undefined) state = { ...state, status: erasedEntry.status }
      return {
        ...known,
        sealed: false,
        erased: true,
        type: erasedEntry.type ?? 'unknown',
        from_status: before,
        to_status: statusOf(state),
        actor: null,
        changes: [],
        ...proof,
      }
    }
    const set = { ...both?.set, ...own?.set }
    const changes = Object.keys(set)
      .filter((field) => !(field in state) || textOf(set[field]) !== textOf(state[field]))
      .toSorted()
    state = { ...state, ...set }
    return {
      ...known,
      sealed: false,
      type: both?.type ?? own?.type ?? 'unknown',
      from_status: before,
      to_status: statusOf(state),
      actor: actorOf(both, own),
      changes,
      ...proof,
    }
  })
}

const statusOf = (state: Readonly<Record<string, unknown>>): string | null =>
  typeof state['status'] === 'string' ? state['status'] : null

/** What both sides read of the actor, and what its own side reads besides. */
const actorOf = (
  both: Body | null | undefined,
  own: Body | null | undefined,
): NonNullable<HistoryEntry['actor']> | null => {
  const actor = { ...(both?.['actor'] as object), ...(own?.['actor'] as object) }
  return 'kind' in actor ? (actor as NonNullable<HistoryEntry['actor']>) : null
}

/** Whether the events of a document whose row is lost or changed name the organization. */
export const isPartyInHistory = (
  events: readonly { shared_body: string | null; issuer_body: string | null }[],
  organization: string,
): boolean => {
  const id = encodeId('org', organization)
  return events.some(({ shared_body: both, issuer_body: own }) => {
    const { parties } = parseOrEmpty(both) as { parties?: Record<string, string> }
    const { set } = parseOrEmpty(own) as { set?: { issuer?: { organization_id?: string } } }
    return set?.issuer?.organization_id === id || Object.values(parties ?? {}).includes(id)
  })
}

const parseOrEmpty = (text: string | null): object => {
  try {
    return (JSON.parse(text ?? '{}') as object | null) ?? {}
  } catch {
    return {}
  }
}
