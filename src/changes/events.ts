/** Emits the events of a change in its transaction, each in its receiver's projection. */
import { version } from '../contract/version.ts'
import type { EventType } from '../contract/events.ts'
import type { Side } from '../contract/document-types.ts'
import { compactText, contentMark, knownText, withContent } from '../core/compact-text.ts'
import { encodeId } from '../core/ids.ts'
import { projectionParts } from '../core/documents/projection.ts'
import type { ActingCaller, ChangeContext, NewDocumentRow } from './change-context.ts'
import { todayOf } from './organization-clock.ts'
import { nextFeedPosition } from './organization-counters.ts'

export interface EventDraft {
  type: EventType
  previousStatus?: string
  cause?: string
  /** Additional fields of the event's data, as this receiver may see them. */
  extraData?: (receiver: string) => object
  /** When it happened, if the document itself has not changed. */
  at?: string
}

/** Emits an event to one party; returns the document with the event counted. */
export const emitEvent = (
  { unit, caller, isWithoutPayments }: ChangeContext,
  document: NewDocumentRow,
  side: Side,
  { type, previousStatus, cause, extraData, at }: EventDraft,
): { document: NewDocumentRow; position: bigint } => {
  const receiver = side === 'issuer' ? document.issuer_id : document.counterparty_id
  const counterColumn = `${side}_events` as const
  const updated = { ...document, [counterColumn]: document[counterColumn] + 1 }
  const position = nextFeedPosition(unit, receiver)
  const id = unit.newId()
  const created_at = at ?? document.updated_at
  const today = todayOf(unit, receiver)
  const issuerToday = todayOf(unit, document.issuer_id)
  const viewer = { side, canPay: !isWithoutPayments, isWithoutPayments, today, issuerToday }
  const [before, , after] = projectionParts(updated, viewer)
  const causeField = cause === undefined ? '' : `,"cause":${JSON.stringify(cause)}`
  const previousStatusField =
    previousStatus === undefined ? '' : `,"previous_status":"${previousStatus}"`
  const extraFields =
    extraData === undefined ? '' : `,${JSON.stringify(extraData(receiver)).slice(1, -1)}`
  const marked =
    `{"id":"${encodeId('evt', id)}","type":"${type}","api_version":"${version}",` +
    `"created_at":"${created_at}","sequence":${updated[counterColumn]},` +
    `"data":{"document":${before}${contentMark}${after}${previousStatusField}${causeField}${extraFields}},"request":${requestFor(caller, receiver)}` +
    `${document.mode === 'test' ? ',"sandbox":true' : ''}}`
  unit.insert('events', {
    organization_id: receiver,
    feed: position,
    id,
    document_id: document.id,
    sequence: updated[counterColumn],
    type,
    created_at,
    revision: updated.revision,
    text: withContent(marked, updated.content),
    payload: compactText(marked, { known: knownText(document, { id, created_at }) }),
  })
  return { document: updated, position }
}

/** Only the organization whose own request caused the event sees that request. */
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
