/** Events: what the service tells about a document, and the form in which it does. */
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
      'Every change of a document is an event, written in the transaction of the change and frozen: once for each side that sees it, with the document in that side’s own projection.',
    ),
    table(
      ['Type', 'Meaning'],
      eventTypeNames.map((type) => [codeSpan(type), eventTypes[type]]),
    ),
    text('**Envelope.** More fields and more types may be added at any time.'),
    fieldTable(Event),
    text('**A delivery** is an HTTP POST of the envelope to an https address, with these headers:'),
    table(
      ['Header', 'Meaning'],
      Object.values(webhookHeaders).map(({ name, description }) => [codeSpan(name), description]),
    ),
    list(
      'Delivered at least once: ignore a `Svc-Webhook-Id` that you have seen. Order by `sequence`, which has no gap per document.',
      'Verify the signature over the raw body, in constant time, before you parse it.',
      'Webhooks are for promptness; [sweep with `updated_since`](#pagination) from time to time as well.',
      'The [OpenAPI document](#reference) has one entry of `webhooks` for each type. Whether this deployment delivers is in `GET /v1/enablement`.',
    ),
  ],
}
