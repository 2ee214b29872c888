/**
 * The only writer of history: the provenance entry of a change and the events that tell its
 * receivers, in the transaction of the change.
 */
import { version } from '../contract/version.ts'
import type { EventType } from '../contract/events.ts'
import { dateAt } from '../core/calendar.ts'
import {
  type EventSlots,
  buildHistoryEvent,
  saltBytes,
  streamOf,
} from '../core/provenance/history-event.ts'
import { encodeId } from '../core/ids.ts'
import type { Side } from '../contract/document-types.ts'
import { projectDocument } from '../core/documents/projection.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { NewRow } from '../database/table-writes.ts'
import type { ActingCaller, ChangeContext } from './change-context.ts'
import { nextFeedPosition } from './organization-counters.ts'

export type NewDocumentRow = NewRow<'documents'>

/** Appends to the document's chain; answers the document with its new head. */
export const appendHistory = (
  { unit, macKey }: ChangeContext,
  document: NewDocumentRow,
  slots: EventSlots,
): NewDocumentRow => {
  if (macKey === null) return document
  const stream = streamOf(document.stream_salt, encodeId('doc', document.id))
  const previous = {
    seq: document.head_seq,
    hash: document.head_seq === 0 ? null : document.head_hash,
  }
  const salts = unit.randomBytes(saltBytes)
  const event = buildHistoryEvent(stream, previous, document.updated_at, slots, salts, macKey)
  unit.insert('prov_event', { document_id: document.id, ...event })
  unit.insert('log_queue', {
    log_id: document.mode,
    document_id: document.id,
    seq: event.seq,
    hash: event.hash,
  })
  return { ...document, head_seq: event.seq, head_hash: event.hash }
}

export interface EventDraft {
  type: EventType
  previousStatus?: string
  cause?: string
  /** Further fields of the event's data, as the receiver reads them. */
  extraData?: (receiver: string) => object
}

/** Tells one party, in its own projection; answers the document with its event counted. */
export const emitEvent = (
  { unit, caller }: ChangeContext,
  document: NewDocumentRow,
  side: Side,
  { type, previousStatus, cause, extraData }: EventDraft,
): { document: NewDocumentRow; position: bigint } => {
  const receiver = side === 'issuer' ? document.issuer_id : document.counterparty_id
  const counterColumn = `${side}_events` as const
  const updated = { ...document, [counterColumn]: document[counterColumn] + 1 }
  const position = nextFeedPosition(unit, receiver)
  const id = unit.newId()
  const projected = projectDocument(updated, {
    side,
    canPay: true,
    today: todayOf(unit, receiver),
  })
  const caused = cause === undefined ? '' : `,"cause":${JSON.stringify(cause)}`
  const before = previousStatus === undefined ? '' : `,"previous_status":"${previousStatus}"`
  const further =
    extraData === undefined ? '' : `,${JSON.stringify(extraData(receiver)).slice(1, -1)}`
  const payload =
    `{"id":"${encodeId('evt', id)}","type":"${type}","api_version":"${version}",` +
    `"created_at":"${document.updated_at}","sequence":${updated[counterColumn]},` +
    `"data":{"document":${projected}${before}${caused}${further}},"request":${requestFor(caller, receiver)}` +
    `${document.mode === 'test' ? ',"sandbox":true' : ''}}`
  unit.insert('events', {
    organization_id: receiver,
    feed: position,
    id,
    document_id: document.id,
    sequence: updated[counterColumn],
    type,
    created_at: document.updated_at,
    payload,
  })
  return { document: updated, position }
}

/** Only the organization whose own call caused the event learns which call it was. */
const requestFor = (
  { actor, requestId, idempotencyKey }: ActingCaller,
  receiver: string,
): string => {
  if (actor.kind === 'system' || actor.organization_id !== receiver) return 'null'
  const keyPrefix = actor.kind === 'api_key' ? `"${actor.key_prefix}"` : 'null'
  return (
    `{"id":"${encodeId('req', requestId)}",` +
    `"idempotency_key":${JSON.stringify(idempotencyKey)},"key_prefix":${keyPrefix}}`
  )
}

/** Now by the organization's own clock, in milliseconds; for what is late, when it was due. */
export const organizationClockMs = (unit: UnitOfWork, organization: string): number =>
  Date.parse(unit.now) -
  unit.lateMs +
  Number(unit.get('organizations', organization)!.clock_offset_seconds) * 1_000

/** Today by the organization's own clock, which a sandbox may have moved. */
export const todayOf = (unit: UnitOfWork, organization: string): string =>
  dateAt(organizationClockMs(unit, organization), 0n)
