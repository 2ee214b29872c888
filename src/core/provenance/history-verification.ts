/**
 * Verifies the stored events of a document by themselves, with the checks of the published
 * verifier: canonical form, MACs, commitments, chain and replay. Pure: the rows are arguments. A
 * history may be long, so the checks yield after every event.
 */
import { MissingServerKey } from '../server-keys.ts'
import * as verifier from '../../../verifier/verify-bundle.mjs'
import type { Rows } from '../../database/rows.ts'
import { encodeId } from '../ids.ts'
import {
  allCommitmentsBytes,
  bodyText,
  eventHeader,
  saltAt,
  saltSeedBytes,
  shortCommitmentBytes,
  shortCommitments,
  slotNames,
  storedSalts,
} from './history-event.ts'
import type { HistoryKeys } from './history-keys.ts'
import type { LogId } from './signed-notes.ts'
import { financeBodyOfState } from './shared-state.ts'

export type StoredEvent = Rows['prov_event']

export interface VerifiedEvent extends verifier.OpenEvent {
  hash: Buffer
}

/** Whether the MAC of a stored event is of this service; `i` is its place in the history. */
export type IsOurs = (event: StoredEvent, i: number) => boolean

/** By the history keys, for a history whose first events have these leaves. */
export const writtenBy =
  (keys: HistoryKeys, log: LogId, leaves: readonly { idx: bigint }[]): IsOurs =>
  ({ hash, mac }, i) =>
    keys.holdsEvent(hash, mac, { log, index: leafIndexOf(leaves[i]) })

const leafIndexOf = (leaf: { idx: bigint } | undefined): number | undefined =>
  leaf === undefined ? undefined : Number(leaf.idx)

export const failCheck = (
  check: string,
  message: string,
  location: { seq?: number; slot?: string } = {},
): never => {
  throw new verifier.Failure(check, message, location)
}

/**
 * What a check throws because it cannot read a row is its failure: the service has written none of
 * that form. Only for checks that wait for nothing, since an outage proves nothing.
 */
export const failUnreadable = <T>(check: () => T): T => {
  try {
    return check()
  } catch (error) {
    return failUnlessKnown(error)
  }
}

const failUnlessKnown = (error: unknown): never => {
  if (error instanceof verifier.Failure || error instanceof MissingServerKey) throw error
  return failCheck('CANONICAL', `a row cannot be read: ${String(error)}`)
}

/**
 * The stored events with their headers and open slots; fails unless the bodies are canonical and
 * the MACs ours. That a header is the one that was hashed remains to be checked.
 */
export function* openedEvents(
  rows: readonly StoredEvent[],
  stream: string,
  isOurs: IsOurs,
  textOf: verifier.TextOf,
): Generator<verifier.OpenEvent, void> {
  let state: Readonly<Record<string, unknown>> = {}
  for (const [i, row] of rows.entries()) {
    const { seq } = row
    if (!isOurs(row, i)) failCheck('MAC', 'the event was not written by this service', { seq })
    const open = parseSlots(row, textOf)
    state = stateAfter(state, open)
    if (row.salts.length === saltSeedBytes) open.finance!.body = financeBodyOfState(state)
    const commitments = commitmentsOf(row, open, textOf)
    const header = eventHeader({ ...row, commitments }, stream, rows[i - 1]?.hash ?? null)
    yield { header, open }
  }
}

/** Stored in full after an erasure; otherwise they follow from the slots, all of which are open. */
const commitmentsOf = (row: StoredEvent, open: Slots, textOf: verifier.TextOf): Buffer => {
  const { seq, commitments: stored } = row
  if (stored.length === allCommitmentsBytes) return stored
  const digests = slotNames.map((slot) => {
    const { salt, body } =
      open[slot] ?? failCheck('COMMITMENT', 'the body or its salt is missing', { seq, slot })
    return verifier.commitment(Buffer.from(salt, 'hex'), textOf(body))
  })
  const commitments = Buffer.from(digests.join(''), 'hex')
  const expected = shortCommitments(commitments)
  if (expected.length !== stored.length) {
    return failCheck('CHAIN', 'the commitments are incomplete', { seq })
  }
  const changed = expected.findIndex((byte, i) => byte !== stored[i])
  if (changed === -1) return commitments
  const slot = slotNames[Math.floor(changed / shortCommitmentBytes)]!
  return failCheck('COMMITMENT', 'the opening does not match its commitment', { seq, slot })
}

type Slots = Partial<Record<verifier.Slot, verifier.Opening>>

/** All slots but the erased ones, which have neither a body nor a salt. */
const parseSlots = (row: StoredEvent, textOf: verifier.TextOf): Slots => {
  const { seq } = row
  const salts = storedSalts(row.salts)
  if (salts === undefined) return failCheck('COMMITMENT', 'a salt is missing', { seq })
  if (row.salts.length === saltSeedBytes && row.finance_body !== null)
    return failCheck('COMMITMENT', 'a body that follows from the others', { seq, slot: 'finance' })
  const open: Slots = {}
  for (const [i, slot] of slotNames.entries()) {
    const body = row[`${slot}_body`]
    const salt = saltAt(salts, i)
    if (body === null && salt.every((byte) => byte === 0)) continue
    open[slot] = {
      salt: salt.toString('hex'),
      body: body === null ? null : parseBody(body, { seq, slot }, textOf),
    }
  }
  return open
}

/** What the issuer's replay has after the event, as far as its bodies are true. */
const stateAfter = (
  state: Readonly<Record<string, unknown>>,
  { shared, issuer }: Slots,
): Readonly<Record<string, unknown>> => {
  const isErasing = [shared, issuer].some((slot) => slot?.body?.type === 'content.erased')
  return { ...(isErasing ? {} : state), ...shared?.body?.set, ...issuer?.body?.set }
}

const parseBody = (
  stored: Buffer,
  location: { seq: number; slot: string },
  textOf: verifier.TextOf,
): verifier.Opening['body'] => {
  const parsed = valueOrUndefined(() => {
    const text = bodyText(stored)
    return { text, body: JSON.parse(text) as verifier.Opening['body'] }
  })
  if (parsed === undefined) return failCheck('CANONICAL', 'the body is not JSON', location)
  const { text, body } = parsed
  if (textOf(body) !== text) failCheck('CANONICAL', 'the body is not canonical', location)
  return body
}

export interface VerifiedHistory {
  stream: string
  events: readonly VerifiedEvent[]
  /** The state that each side's events replay to. */
  states: Readonly<Record<verifier.Role, Readonly<Record<string, unknown>>>>
  /** The canonical text of a value from the events. */
  textOf: verifier.TextOf
}

/**
 * Verifies the events by themselves: canonical form, MACs, commitments, chain and replay. A row
 * that cannot be read fails its check.
 */
export function* verifyHistory(
  document: Pick<Rows['documents'], 'id' | 'stream_salt'>,
  rows: readonly StoredEvent[],
  isOurs: IsOurs,
): Generator<void, VerifiedHistory> {
  if (rows.length === 0) failCheck('CHAIN', 'there are no events')
  const textOf = verifier.writer()
  const stream = verifier.streamOf(document.stream_salt, encodeId('doc', document.id))
  const opened: verifier.OpenEvent[] = []
  try {
    for (const event of openedEvents(rows, stream, isOurs, textOf)) {
      opened.push(event)
      yield
    }
    const events = yield* chainedEvents(rows, opened, stream, textOf)
    for (const role of ['issuer', 'counterparty'] as const) {
      verifier.checkNothingWithheld(events, role)
    }
    const issuer = yield* replayedState(events, 'issuer', textOf)
    const counterparty = yield* replayedState(events, 'counterparty', textOf)
    return { stream, events, states: { issuer, counterparty }, textOf }
  } catch (error) {
    return failUnlessKnown(error)
  }
}

function* chainedEvents(
  rows: readonly StoredEvent[],
  events: readonly verifier.OpenEvent[],
  stream: string,
  textOf: verifier.TextOf,
): Generator<void, VerifiedEvent[]> {
  let link: verifier.Link | null = null
  const chained: VerifiedEvent[] = []
  for (const [i, event] of events.entries()) {
    const { hash, seq, commitments } = rows[i]!
    link = verifier.linkAfter(link, event.header, stream, textOf)
    if (!hash.equals(link.hash)) failCheck('CHAIN', 'the hash does not match', { seq })
    if (commitments.length === allCommitmentsBytes) verifier.checkOpenings(event, textOf)
    chained.push({ ...event, hash })
    yield
  }
  return chained
}

function* replayedState(
  events: readonly VerifiedEvent[],
  role: verifier.Role,
  textOf: verifier.TextOf,
): Generator<void, Record<string, unknown>> {
  let replayed = verifier.nothing
  for (const event of events) {
    replayed = verifier.replayNext(replayed, event, role, textOf)
    yield
  }
  return replayed.state
}

/** The events of a history that leads to the head of its sealed document; otherwise undefined. */
export function* eventsToHead(
  document: Pick<Rows['documents'], 'id' | 'stream_salt' | 'head_seq' | 'head_hash'>,
  rows: readonly StoredEvent[],
): Generator<void, readonly VerifiedEvent[] | undefined> {
  try {
    const { events } = yield* verifyHistory(document, rows, () => true)
    const isHead = events.length === document.head_seq
    return isHead && events.at(-1)!.hash.equals(document.head_hash) ? events : undefined
  } catch (error) {
    if (error instanceof verifier.Failure) return undefined
    throw error
  }
}

export const valueOrUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}
