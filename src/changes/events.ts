/** Emits the events of a change in its transaction, each in its receiver's projection. */
import { version } from '../contract/version.ts'
import type { EventType } from '../contract/events.ts'
import type { Side } from '../contract/document-types.ts'
import {
  compactText,
  contentParts,
  contentMark,
  knownDocumentText,
  knownEventText,
} from '../core/compact-text.ts'
import { encodeId } from '../core/ids.ts'
import { type Viewer, projectionParts } from '../core/documents/projection.ts'
import type { ActingCaller, ChangeContext, NewDocumentRow } from './change-context.ts'
import { todayOf } from './organization-clock.ts'
import { nextFeedPosition } from './organization-counters.ts'

export interface EventDraft {
  type: EventType
  previousStatus?: string
  cause?: string | undefined
  /** Additional fields of the event's data, as this receiver may see them, in JSON. */
  extraText?: (receiver: string, document: NewDocumentRow) => string
  /** When it happened, if the document itself has not changed. */
  at?: string
}

/** Emits an event to one party; returns the document with the event counted. */
export const emitEvent = (
  change: ChangeContext,
  document: NewDocumentRow,
  side: Side,
  event: EventDraft,
): { document: NewDocumentRow; position: bigint } => {
  const emitted = emitEvents(change, document, [side], [event])
  return { document: emitted.document, position: emitted.positions[side] }
}

/**
 * Emits events to each of these sides, in this order; returns the document with the events counted,
 * and the position of each side's first one. The document is projected once for each side, as it is
 * after all of them.
 */
export const emitEvents = (
  change: ChangeContext,
  document: NewDocumentRow,
  sides: readonly Side[],
  events: readonly EventDraft[],
): { document: NewDocumentRow; positions: Record<Side, bigint> } => {
  const known = knownDocumentText(document)
  const issuerToday = todayOf(change.unit, document.issuer_id)
  const { issuer_events: issuer, counterparty_events: counterparty } = document
  const counts = { issuer, counterparty }
  const countAfter = (side: Side) => counts[side] + (sides.includes(side) ? events.length : 0)
  const counted = {
    ...document,
    issuer_events: countAfter('issuer'),
    counterparty_events: countAfter('counterparty'),
  }
  const shown = sides.map((side) => ({
    side,
    parts: shownTo(change, counted, { side, issuerToday }),
  }))
  const positions: Record<Side, bigint> = { issuer: 0n, counterparty: 0n }
  for (const event of events) {
    for (const { side, parts } of shown) {
      const sequence = (counts[side] += 1)
      const position = insertEvent(change, document, { side, sequence, parts, known }, event)
      positions[side] ||= position
    }
  }
  return { document: counted, positions }
}

const shownTo = (
  { unit, isWithoutPayments }: ChangeContext,
  document: NewDocumentRow,
  { side, issuerToday }: Pick<Viewer, 'side' | 'issuerToday'>,
) => {
  const today = side === 'issuer' ? issuerToday : todayOf(unit, document.counterparty_id)
  const viewer = { side, canPay: !isWithoutPayments, isWithoutPayments, today, issuerToday }
  return projectionParts(document, viewer)
}

interface Receiver {
  side: Side
  sequence: number
  parts: ReturnType<typeof shownTo>
  known: string
}

/** Returns its position. */
const insertEvent = (
  { unit, caller }: ChangeContext,
  document: NewDocumentRow,
  { side, sequence, parts: [before, , after], known }: Receiver,
  { type, previousStatus, cause, extraText, at }: EventDraft,
): bigint => {
  const receiver = document[`${side}_id`]
  const position = nextFeedPosition(unit, receiver)
  const id = unit.newId()
  const created_at = at ?? document.updated_at
  const causeField = cause === undefined ? '' : `,"cause":${JSON.stringify(cause)}`
  const previousStatusField =
    previousStatus === undefined ? '' : `,"previous_status":"${previousStatus}"`
  const extraFields = extraText === undefined ? '' : `,${extraText(receiver, document)}`
  const marked =
    `{"id":"${encodeId('evt', id)}","type":"${type}","api_version":"${version}",` +
    `"created_at":"${created_at}","sequence":${sequence},` +
    `"data":{"document":${before}${contentMark}${after}${previousStatusField}${causeField}${extraFields}},"request":${requestFor(caller, receiver)}` +
    `${document.mode === 'test' ? ',"sandbox":true' : ''}}`
  unit.insert('events', {
    organization_id: receiver,
    feed: position,
    id,
    document_id: document.id,
    sequence,
    type,
    created_at,
    revision: document.revision,
    text: contentParts(marked, document.content),
    payload: compactText(marked, { known: known + knownEventText({ id, created_at }) }),
  })
  return position
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
