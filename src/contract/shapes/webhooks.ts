/** Webhook endpoints and deliveries (specification 2.4 and 6, contract 4, 7 and 11). */
import { type Static, Type } from 'typebox'
import { eventTypeNames } from '../events.ts'
import { limits } from '../limits.ts'
import { InputObject, CommaList, PageOf, OutputObject, pageParameters } from './objects.ts'
import { DateOrTimestamp, Id, Nullable, StringEnum, Text, Timestamp } from './field-types.ts'

const EventTypes = (description: string) =>
  Type.Array(StringEnum(eventTypeNames, 'An event type.'), {
    maxItems: eventTypeNames.length,
    description,
  })

const endpointStatuses = ['ACTIVE', 'DISABLED'] as const

const editableFields = {
  url: Text(
    limits.webhookUrlMaxLength,
    'The https address to deliver to. Its name must resolve to public addresses only. A sandbox on your own machine also takes an http address of that machine, such as `http://127.0.0.1:9000/`.',
    1,
  ),
  events: EventTypes('Subscribed events; empty or absent = all, including those added later.'),
  description: Nullable(Text(limits.webhookDescriptionMaxLength, 'What the endpoint is for.')),
}

export const WebhookCreate = InputObject(
  {
    url: editableFields.url,
    events: Type.Optional(editableFields.events),
    description: Type.Optional(editableFields.description),
  },
  'A new endpoint.',
)

export const WebhookEdit = InputObject(
  {
    url: Type.Optional(editableFields.url),
    events: Type.Optional(editableFields.events),
    description: Type.Optional(editableFields.description),
    status: Type.Optional(
      StringEnum(
        endpointStatuses,
        'ACTIVE re-enables it and resets the failure count; DISABLED stops deliveries.',
      ),
    ),
  },
  'The fields to change in an endpoint.',
)
export type WebhookEdit = Static<typeof WebhookEdit>

const endpointFields = {
  id: Id('whk', 'The endpoint.'),
  url: Type.String({ description: 'Where deliveries are POSTed.' }),
  events: EventTypes('Subscribed events; empty = all, including those added later.'),
  description: Nullable(Type.String()),
  status: StringEnum(
    endpointStatuses,
    'DISABLED after 20 consecutive terminal failures, or by an admin.',
  ),
  disabled_reason: Nullable(Type.String({ description: 'Why it was disabled.' })),
  consecutive_failures: Type.Integer({ description: 'Terminal failures since the last success.' }),
  last_success_at: Nullable(Timestamp('The latest successful delivery.')),
  last_failure_at: Nullable(Timestamp('The latest failed attempt.')),
  previous_secret_valid_until: Nullable(
    Timestamp('Until then the previous secret signs deliveries too.'),
  ),
  created_at: Timestamp('When it was registered.'),
}

export const Webhook = OutputObject(endpointFields, 'A webhook endpoint.')
export type Webhook = Static<typeof Webhook>

const DayOfDeliveries = OutputObject(
  {
    succeeded: Type.Integer({ description: 'Deliveries that succeeded.' }),
    failed: Type.Integer({ description: 'Deliveries that failed for good.' }),
    attempts: Type.Integer({ description: 'Attempts of all of them, with retries and pings.' }),
    p95_ms: Nullable(
      Type.Integer({
        description: 'How long 95 % of the attempts took at most; null without any.',
      }),
    ),
  },
  `The deliveries of the last 24 hours, of which at most the newest ${limits.listScanMaxRows.toLocaleString('en')} are counted.`,
)

export const WebhookWithLastDay = OutputObject(
  { ...endpointFields, last_day: DayOfDeliveries },
  'An endpoint, and how its deliveries have fared.',
)

export const WebhookWithSecret = OutputObject(
  {
    ...endpointFields,
    secret: Nullable(
      Type.String({ description: 'The signing secret: only in this response. Null in a dry run.' }),
    ),
  },
  'An endpoint with its signing secret.',
)

export const WebhookPage = PageOf(Webhook, 'Endpoints, newest first.')
export const WebhookFilters = InputObject(pageParameters, 'Paging.')

export const PingResult = OutputObject(
  {
    delivery_id: Nullable(Id('dlv', 'The recorded delivery; null in a dry run.')),
    response_status: Nullable(Type.Integer({ description: "The receiver's HTTP status." })),
    duration_ms: Nullable(Type.Integer()),
    error: Nullable(Type.String({ description: 'Why it failed; null after a 2xx response.' })),
  },
  'The outcome of one real attempt.',
)

const deliveryStatuses = ['pending', 'retrying', 'succeeded', 'failed', 'skipped'] as const
export const deliveredEventTypes = [...eventTypeNames, 'ping'] as const

const deliveryFields = {
  id: Id('dlv', 'The delivery.'),
  webhook_id: Id('whk', 'The endpoint.'),
  event_id: Id('evt', 'The event; the same across all attempts and redeliveries.'),
  event_type: StringEnum(deliveredEventTypes, 'The type of the event.'),
  status: StringEnum(
    deliveryStatuses,
    '`failed` is terminal; `skipped`: the endpoint was DISABLED when the delivery came due.',
  ),
  attempt_count: Type.Integer(),
  next_attempt_at: Nullable(Timestamp('When the next attempt is due; null when none is.')),
  last_response_status: Nullable(Type.Integer()),
  last_error: Nullable(Type.String()),
  created_at: Timestamp('When it was first scheduled.'),
  finished_at: Nullable(Timestamp('When it succeeded, failed for good or was skipped.')),
}

export const Delivery = OutputObject(deliveryFields, 'One event for one endpoint.')
export type Delivery = Static<typeof Delivery>

const stepMs = (step: string) => Nullable(Type.Integer({ description: step }))

const Timings = OutputObject(
  {
    dns_ms: stepMs('To resolve the name; null for an address.'),
    connect_ms: stepMs('To connect (TCP).'),
    tls_ms: stepMs('To agree on TLS; null for `http`.'),
    first_byte_ms: stepMs('From the request to the headers of the response.'),
  },
  'Where the time went: null steps were not completed, or the connection was open already.',
)

const Attempt = OutputObject(
  {
    number: Type.Integer(),
    at: Timestamp('When it began.'),
    response_status: Nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    error: Nullable(Type.String({ description: 'Why it failed.' })),
    response_body: Nullable(Type.String({ description: 'The first 4 KiB of the response.' })),
    request_headers: Nullable(
      Type.Record(Type.String(), Type.String(), {
        description:
          'The headers that it sent, with its signatures; null if nothing was sent, and of attempts before 1.16.',
      }),
    ),
    response_headers: Nullable(
      Type.Record(Type.String(), Type.String(), {
        description: 'Of a failed attempt, without cookies; null after a success.',
      }),
    ),
    timings: Nullable(Timings),
  },
  'One attempt.',
)

export const DeliveryWithAttempts = OutputObject(
  {
    ...deliveryFields,
    body: Nullable(
      Type.String({
        description:
          'The body, to the byte, as the next attempt would send it: the same over all attempts, except for document texts that have been erased. Null when the event is gone.',
      }),
    ),
    attempts: Type.Array(Attempt),
  },
  `A delivery with its last ${limits.deliveryAttemptsShown} attempts, oldest first.`,
)

export const DeliveryPage = PageOf(Delivery, 'Deliveries of the last 30 days, newest first.')

export const DeliveryFilters = InputObject(
  {
    ...pageParameters,
    status: Type.Optional(CommaList(StringEnum(deliveryStatuses, 'A status.'), 'Statuses.')),
    type: Type.Optional(
      CommaList(StringEnum(deliveredEventTypes, 'An event type.'), 'Event types.'),
    ),
    since: Type.Optional(DateOrTimestamp('Scheduled at or after this time.')),
    until: Type.Optional(DateOrTimestamp('Scheduled at or before this time.')),
  },
  'Filters of the deliveries list.',
)

export const Recover = InputObject(
  {
    since: DateOrTimestamp('Events at or after this time.'),
    until: Type.Optional(DateOrTimestamp('Events at or before this time; absent = now.')),
    types: Type.Optional(EventTypes("Only these types; absent = the endpoint's subscription.")),
  },
  'The events to deliver again.',
)

export const Recovered = OutputObject(
  {
    scheduled: Type.Integer({ description: 'Number of scheduled deliveries.' }),
    next_since: Nullable(
      Timestamp('Repeat the call with this `since`; null when the whole range is covered.'),
    ),
  },
  'The result of a recovery.',
)
