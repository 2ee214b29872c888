/** Event types, their envelope and the headers of a delivery. */
import { eventTypeNames, eventTypes } from '../../contract/events.ts'
import { Event } from '../../contract/shapes/events.ts'
import { webhookHeaders } from '../openapi/webhooks.ts'
import { fieldTable } from './field-tables.ts'
import { type Section, list, codeSpan, table, text } from '../blocks.ts'

export const events: Section = {
  id: 'events',
  title: 'Events',
  blocks: [
    text(
      'Every change to a document creates an event in the same transaction. Each side that can see the document gets its own copy, with the document in its own projection. An event never changes.',
    ),
    table(
      ['Type', 'Meaning'],
      [
        ...eventTypeNames.map((type) => [codeSpan(type), eventTypes[type]]),
        [
          codeSpan('ping'),
          'A test event that [`POST /v1/webhooks/{id}/ping`](#webhooks.ping) sends to one endpoint. It has an empty `data` and no `sequence`, is not in the feed, and needs no subscription.',
        ],
      ],
    ),
    text(
      '**Stream.** `GET /v1/stream` (scope `documents:read`) is for pages that show documents and connections: server-sent events whose `data` is `{type, object, id, updated_at}`, the name of a change without its content. Load what it names as usual. `Last-Event-ID` resumes after the last `id` that you have; `resync` means that changes may be missing, so load everything again: too much has changed since, it has expired, the sandbox was reset, or the service has lost its connection to the database for a moment. Changes of connections (`connection.invited`, `.active`, `.declined`, `.ended`) are sent once: after a break, load the list. The first event has an `id` alone, from which to resume. The stream ends with its credential. An EventSource cannot send the Authorization header: use `docex.stream()` of an SDK, `docex stream`, or `fetch`.',
    ),
    text('**Envelope.** New fields and new types may be added at any time.'),
    fieldTable(Event),
    text(
      '**Delivery.** Webhooks deliver the envelope as an HTTP POST to an https address, with these headers:',
    ),
    table(
      ['Header', 'Meaning'],
      Object.values(webhookHeaders).map(({ name, description }) => [codeSpan(name), description]),
    ),
    list(
      'Events are delivered at least once: ignore a `Svc-Webhook-Id` that you have already seen. Order events by `sequence`, which has no gaps per document.',
      'Verify the signature over the raw body, in constant time, before you parse it.',
      'Webhooks notify you promptly; to be certain, also [query with `updated_since`](#pagination) from time to time.',
      'The [OpenAPI document](#reference) has one `webhooks` entry per type of the feed. `GET /v1/enablement` shows whether this deployment delivers webhooks.',
    ),
  ],
}
