/**
 * A verified history as one side may read it. Events that only the other side may read are sealed:
 * they show their time and their commitment, but no content.
 */
import type { HistoryEntry } from '../../contract/shapes/provenance.ts'
import type { Body, Role } from '../../../verifier/verify-bundle.mjs'
import { encodeId } from '../ids.ts'
import { bodyText } from './history-event.ts'
import type { VerifiedEvent, VerifiedHistory } from './history-verification.ts'
import { otherSideOf } from '../../contract/document-types.ts'

/** Whether the event has content for the other side only. */
export const isSealedFor = ({ open }: VerifiedEvent, side: Role): boolean => {
  const isEmpty = (slot: 'shared' | Role) => open[slot] !== undefined && open[slot].body === null
  return isEmpty('shared') && isEmpty(side) && !isEmpty(otherSideOf(side))
}

/** The type and status that an erasure preserved of each erased event, by seq. */
export const erasedRemains = (
  events: readonly VerifiedEvent[],
  slots: readonly ('shared' | Role)[],
) => {
  const remains = new Map<number, { type: string | undefined; status: string | undefined }>()
  for (const { open } of events) {
    for (const slot of slots) {
      const erased = open[slot]?.body?.['erased'] as
        | { seq: number; type?: string; status?: string }[]
        | undefined
      for (const { seq, type, status } of erased ?? []) {
        const earlier = remains.get(seq)
        remains.set(seq, { type: earlier?.type ?? type, status: earlier?.status ?? status })
      }
    }
  }
  return remains
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
    const base = { seq: header.seq, at: header.at }
    if (isSealedFor(event, side)) {
      const commitment = header.c[otherSideOf(side)]
      return { ...base, sealed: true, held_by: 'counterparty' as const, commitment, ...proof }
    }
    const [shared, own] = [open.shared?.body, open[side]?.body]
    const before = statusOf(state)
    const erasedEntry = erased.get(header.seq)
    if (erasedEntry !== undefined && shared?.type === undefined && own?.type === undefined) {
      if (erasedEntry.status !== undefined) state = { ...state, status: erasedEntry.status }
      return {
        ...base,
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
    const set = { ...shared?.set, ...own?.set }
    const changes = Object.keys(set)
      .filter((field) => !(field in state) || textOf(set[field]) !== textOf(state[field]))
      .toSorted()
    state = { ...state, ...set }
    return {
      ...base,
      sealed: false,
      type: shared?.type ?? own?.type ?? 'unknown',
      from_status: before,
      to_status: statusOf(state),
      actor: actorOf(shared, own),
      ...approvalOf(own),
      changes,
      ...proof,
    }
  })
}

const statusOf = (state: Readonly<Record<string, unknown>>): string | null =>
  typeof state['status'] === 'string' ? state['status'] : null

/** The shared fields of the actor, and those that only its own side reads. */
const actorOf = (
  shared: Body | null | undefined,
  own: Body | null | undefined,
): NonNullable<HistoryEntry['actor']> | null => {
  const actor = { ...(shared?.['actor'] as object), ...(own?.['actor'] as object) }
  return 'kind' in actor ? (actor as NonNullable<HistoryEntry['actor']>) : null
}

/** Only its own side reads what was approved, and by whom. */
const approvalOf = (own: Body | null | undefined): Pick<HistoryEntry, 'approval'> => {
  const approval = own?.['approval'] as HistoryEntry['approval']
  return approval === undefined ? {} : { approval }
}

interface StoredBodies {
  shared_body: Buffer | null
  issuer_body: Buffer | null
}

/** Whether the events name the organization; for documents whose row is lost or changed. */
export const isPartyInHistory = (
  events: readonly StoredBodies[],
  organization: string,
): boolean => {
  const id = encodeId('org', organization)
  return events.some(({ shared_body: shared, issuer_body: issuer }) => {
    const { parties } = parseOrEmpty(shared) as { parties?: Record<string, string> }
    const { set } = parseOrEmpty(issuer) as { set?: { issuer?: { organization_id?: string } } }
    return set?.issuer?.organization_id === id || Object.values(parties ?? {}).includes(id)
  })
}

/** Whose request with this signed text has made the event; undefined if none has. */
export const signerIn = (
  { shared_body: shared, issuer_body: issuer }: StoredBodies,
  base: string,
): { organization_id?: string } | undefined => {
  const bodies = [shared, issuer].map((stored) => parseOrEmpty(stored) as SignedBody)
  const signed = bodies.find(({ signature }) => signature?.base === base)
  return signed && (signed.actor ?? {})
}

interface SignedBody {
  actor?: { organization_id?: string }
  signature?: { base?: string }
}

const parseOrEmpty = (stored: Buffer | null): object => {
  try {
    return (JSON.parse(stored === null ? '{}' : bodyText(stored)) as object | null) ?? {}
  } catch {
    return {}
  }
}
