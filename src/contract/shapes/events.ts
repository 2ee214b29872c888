/** The event envelope of webhooks and of the event feed (specification 6.2). */
import { type Static, type TSchema, Type } from 'typebox'
import { type EventType, eventTypeNames } from '../events.ts'
import { closedReasons } from '../finance-states.ts'
import { Document } from './documents.ts'
import { Agreement, Flag } from './finance-agreements.ts'
import { Listing, Offer } from './finance.ts'
import { InputObject, CommaList, PageOf, OutputObject, pageParameters } from './objects.ts'
import { Payment } from './payments.ts'
import { Id, Nullable, StringEnum, Timestamp } from './field-types.ts'

export const CausingRequest = OutputObject(
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
      api_version: Type.String({
        description: 'The contract version in force when it was written.',
      }),
      created_at: Timestamp('When it happened.'),
      sequence: Type.Integer({ description: 'Per document and receiver, from 1, gapless.' }),
      data: OutputObject(
        {
          document: Document,
          previous_status: Type.Optional(Type.String({ description: 'The status before.' })),
          cause: Type.Optional(Type.String({ description: 'Why the service moved it.' })),
          ...extraData,
        },
        'As the receiver saw it then.',
      ),
      request: Nullable(CausingRequest),
      sandbox: Type.Optional(
        Type.Literal(true, { description: 'Only for sandbox organizations.' }),
      ),
    },
    'An event, frozen when it was written.',
  )

/** Fields of `data` besides the document (domain 4.7, 5.5 and 5.6). */
const extraEventData: Partial<Record<EventType, Record<string, TSchema>>> = {
  'document.edited': {
    changes: Type.Optional(
      Type.Array(Type.String(), { description: 'What changed once it was issued: `pledge`, …' }),
    ),
  },
  'payment.settled': {
    payment: Payment,
    settlement_reference: Type.Optional(
      Type.String({ description: "The rail's own reference; absent when no rail was involved." }),
    ),
  },
  'payment.failed': {
    payment: Payment,
    reason: Type.String({ description: 'Why it failed; `payment_failed` for the payee.' }),
    payable: Type.Boolean({ description: 'Whether the document can be paid again.' }),
  },
  'finance.offer.received': { offer: Offer, listing: Listing },
  'finance.agreement.accepted': { agreement: Agreement },
  'finance.agreement.funded': { agreement: Agreement, payment: Payment },
  'finance.agreement.repaid': {
    agreement: Agreement,
    payment: Payment,
    swept: Type.Boolean({ description: 'Whether a sweep repaid it, not the borrower itself.' }),
  },
  'finance.agreement.flagged': { agreement: Agreement, flag: Flag },
  'finance.agreement.closed': {
    agreement: Agreement,
    closed_reason: StringEnum(closedReasons, 'Why it is closed.'),
  },
}

/** A row of a list, which may be of any type and thus has the additional fields of all of them. */
export const Event = eventEnvelope(
  StringEnum(eventTypeNames, 'What happened.'),
  Object.fromEntries(
    Object.values(extraEventData).flatMap((fields) =>
      Object.entries(fields).map(([name, field]) => [name, Type.Optional(field)]),
    ),
  ),
)

/** The envelope of one event type, with the additional fields of its data. */
export const eventSchemaOf = (type: EventType) =>
  eventEnvelope(StringEnum([type], 'What happened.'), extraEventData[type] ?? {})

export const EventPage = PageOf(
  Event,
  'Events of the last 30 days: with `after` in commit order, otherwise newest first.',
)

export const EventFilters = InputObject(
  {
    ...pageParameters,
    after: Type.Optional(
      Id('evt', 'Only events committed after this one, oldest first, without gaps.'),
    ),
    type: Type.Optional(CommaList(StringEnum(eventTypeNames, 'An event type.'), 'Event types.')),
    document: Type.Optional(Id('doc', 'Only events of this document.')),
  },
  'Filters of the event feed.',
)
export type EventFilters = Static<typeof EventFilters>
