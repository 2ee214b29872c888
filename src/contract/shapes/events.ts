/** The envelope of an event, as webhooks deliver it and the feed lists it (specification 6.2). */
import { type Static, type TSchema, Type } from 'typebox'
import { type EventType, eventTypeNames } from '../events.ts'
import { Document } from './documents.ts'
import {
  InputObject,
  CommaList,
  PageOf,
  OutputObject,
  pageParameters,
} from './objects-and-pages.ts'
import { Payment } from './payments.ts'
import { Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

const CausingRequest = OutputObject(
  {
    id: Id('req', 'The request.'),
    idempotency_key: Nullable(Type.String()),
    key_prefix: Nullable(Type.String({ description: 'Null for a signed-in user.' })),
  },
  "The receiver's own call that caused the event.",
)

const eventEnvelope = (type: TSchema, extraData: Record<string, TSchema>) =>
  OutputObject(
    {
      id: Id('evt', 'The event.'),
      type,
      api_version: Type.String({ description: 'The contract version that wrote it.' }),
      created_at: Timestamp('When it happened.'),
      sequence: Type.Integer({ description: 'Per document and receiver from 1, without a gap.' }),
      data: OutputObject(
        {
          document: Document,
          previous_status: Type.Optional(Type.String({ description: 'The state before.' })),
          cause: Type.Optional(Type.String({ description: 'What moved it, if no call did.' })),
          ...extraData,
        },
        'The document as the receiver read it at that moment.',
      ),
      request: Nullable(CausingRequest),
      sandbox: Type.Optional(
        Type.Literal(true, { description: 'Only for sandbox organizations.' }),
      ),
    },
    'An event, frozen when it was written.',
  )

export const Event = eventEnvelope(StringEnum(eventTypeNames, 'What happened.'), {})

/** What an event has beside the document (domain 4.7). */
const extraEventData: Partial<Record<EventType, Record<string, TSchema>>> = {
  'payment.settled': {
    payment: Payment,
    settlement_reference: Type.Optional(
      Type.String({ description: "The rail's own reference; absent when no rail drove it." }),
    ),
  },
  'payment.failed': {
    payment: Payment,
    reason: Type.String({ description: 'The payee reads only that it failed.' }),
    payable: Type.Boolean({ description: 'The document can be paid again.' }),
  },
}

/** The envelope of one type, with what its data has more. */
export const eventSchemaOf = (type: EventType) =>
  eventEnvelope(StringEnum([type], 'What happened.'), extraEventData[type] ?? {})

export const EventPage = PageOf(
  Event,
  'Events of the last 30 days: with `after` in the order of commit, otherwise newest first.',
)

export const EventFilters = InputObject(
  {
    ...pageParameters,
    after: Type.Optional(
      Id('evt', 'Only what was committed after this event, oldest first; nothing is left out.'),
    ),
    type: Type.Optional(CommaList(StringEnum(eventTypeNames, 'An event type.'), 'Event types.')),
    document: Type.Optional(Id('doc', 'Only events of this document.')),
  },
  'Filters of the event feed.',
)
export type EventFilters = Static<typeof EventFilters>
