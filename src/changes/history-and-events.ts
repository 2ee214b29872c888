/**
 * The only writer of history: the provenance entry of a change and the events that tell its
 * receivers, in the transaction of the change.
 */
import { version } from '../contract/version.ts'
import type { EventType } from '../contract/events.ts'
import { dayAt } from '../core/calendar.ts'
import { type Slots, historyEvent, saltBytes, streamOf } from '../core/provenance/history-event.ts'
import { encodeId } from '../core/ids.ts'
import type { Side } from '../contract/document-types.ts'
import { projectDocument } from '../core/documents/projection.ts'
import type { World } from '../engine/unit-of-work.ts'
import type { NewRow } from '../database/table-writes.ts'
import type { Caller, Change } from './acting-caller.ts'
import { nextPosition } from './organization-counters.ts'

export type DocumentRow = NewRow<'documents'>

/** Appends to the document's chain; answers the document with its new head. */
export const appendHistory = (
  { world, macKey }: Change,
  document: DocumentRow,
  slots: Slots,
): DocumentRow => {
  if (macKey === null) return document
  const stream = streamOf(document.stream_salt, encodeId('doc', document.id))
  const previous = {
    seq: document.head_seq,
    hash: document.head_seq === 0 ? null : document.head_hash,
  }
  const salts = world.bytes(saltBytes)
  const event = historyEvent(stream, previous, document.updated_at, slots, salts, macKey)
  world.insert('prov_event', { document_id: document.id, ...event })
  world.insert('log_queue', {
    log_id: document.mode,
    document_id: document.id,
    seq: event.seq,
    hash: event.hash,
  })
  return { ...document, head_seq: event.seq, head_hash: event.hash }
}

export interface Telling {
  type: EventType
  previousStatus?: string
  cause?: string
  /** Further fields of the event's data, as the receiver reads them. */
  more?: (receiver: string) => object
}

/** Tells one party, in its own projection; answers the document with its event counted. */
export const tell = (
  { world, caller }: Change,
  document: DocumentRow,
  side: Side,
  { type, previousStatus, cause, more }: Telling,
): { document: DocumentRow; position: bigint } => {
  const receiver = side === 'issuer' ? document.issuer_id : document.counterparty_id
  const counted = `${side}_events` as const
  const told = { ...document, [counted]: document[counted] + 1 }
  const position = nextPosition(world, receiver)
  const id = world.uuid()
  const projected = projectDocument(told, {
    side,
    canPay: true,
    today: todayOf(world, receiver),
  })
  const caused = cause === undefined ? '' : `,"cause":${JSON.stringify(cause)}`
  const before = previousStatus === undefined ? '' : `,"previous_status":"${previousStatus}"`
  const further = more === undefined ? '' : `,${JSON.stringify(more(receiver)).slice(1, -1)}`
  const payload =
    `{"id":"${encodeId('evt', id)}","type":"${type}","api_version":"${version}",` +
    `"created_at":"${document.updated_at}","sequence":${told[counted]},` +
    `"data":{"document":${projected}${before}${caused}${further}},"request":${requestFor(caller, receiver)}` +
    `${document.mode === 'test' ? ',"sandbox":true' : ''}}`
  world.insert('events', {
    organization_id: receiver,
    feed: position,
    id,
    document_id: document.id,
    sequence: told[counted],
    type,
    created_at: document.updated_at,
    payload,
  })
  return { document: told, position }
}

/** Only the organization whose own call caused the event learns which call it was. */
const requestFor = ({ actor, requestId, idempotencyKey }: Caller, receiver: string): string => {
  if (actor.kind === 'system' || actor.organization_id !== receiver) return 'null'
  const keyPrefix = actor.kind === 'api_key' ? `"${actor.key_prefix}"` : 'null'
  return (
    `{"id":"${encodeId('req', requestId)}",` +
    `"idempotency_key":${JSON.stringify(idempotencyKey)},"key_prefix":${keyPrefix}}`
  )
}

/** Now by the organization's own clock, in milliseconds; for what is late, when it was due. */
export const clockOf = (world: World, organization: string): number =>
  Date.parse(world.now) -
  world.lateMs +
  Number(world.get('organizations', organization)!.clock_offset_seconds) * 1_000

/** Today by the organization's own clock, which a sandbox may have moved. */
export const todayOf = (world: World, organization: string): string =>
  dayAt(clockOf(world, organization), 0n)
