/** How to receive and verify webhooks, and how to miss no event. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { curl } from '../examples/curl.ts'
import { exampleDocuments } from '../examples/documents.ts'
import { exampleEvent } from '../examples/webhooks.ts'
import { type Section, code, json, list, steps, text } from '../blocks.ts'
import { durationText, durationsText } from './duration.ts'
import { snippets } from './signature-snippets.ts'

export const webhooks = ({
  baseUrl,
  webhooks: { retryDelaysMs, secretOverlapMs },
}: Config): Section => ({
  id: 'webhooks',
  title: 'Webhooks',
  blocks: [
    text(
      'An owner or an admin, or a key with the scope `webhooks:manage`, sets up endpoints. Register an https address, and the service sends every event of your organization to it as a signed POST request, in the same envelope that `GET /v1/events` lists. Each event is projected for its receiver and frozen when it is written: every attempt, however late, sends the same bytes.',
    ),
    text(
      'To practise on one machine, a sandbox organization may register an http address of the same machine (`http://127.0.0.1:9000/`), but no port of the service itself. This is so by default where `BASE_URL` is that machine and `DATABASE_URL` and `TRUSTED_PROXIES` are empty, and elsewhere with `WEBHOOK_ALLOW_PRIVATE=1`. Elsewhere, send an https address in its place:',
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/v1/webhooks`,
        credential: 'ADMIN_SESSION_TOKEN',
        idempotencyKey: 'my-first-endpoint',
        body: { url: 'http://127.0.0.1:9000/', events: ['document.status_changed'] },
      }),
    ),
    text(
      'The response contains the signing secret, which is shown only once. `POST /v1/webhooks/{id}/ping` then sends a test event, signed like a real one, and returns how your receiver responded. An event looks like this:',
    ),
    json({
      ...exampleEvent(exampleDocuments.approvedBill),
      data: { document: { id: '…' }, previous_status: 'submitted' },
    }),
    text('[Events](#events) describes all event types and the envelope.'),
  ],
  sections: [
    {
      id: 'webhooks-delivery',
      title: 'Attempts, retries and disabling',
      blocks: [
        list(
          `Respond with 2xx quickly and do the work later. An attempt times out after ${limits.outboundTimeoutMs / 1000} s in total, of which ${limits.outboundConnectTimeoutMs / 1000} s to connect. Redirects are not followed.`,
          `Anything but a complete 2xx response is retried after about ${durationsText(retryDelaysMs)} (each ±10 %). \`Retry-After\` on 429 and 503 is honoured, up to the next slot. The sixth failure is final.`,
          `When ${limits.webhookFailuresMax} deliveries in a row have failed permanently, the endpoint is disabled, with a \`disabled_reason\`. Any success resets the count, including that of a ping or a redelivery. A failed ping never counts; a redelivery that fails permanently does. PATCH \`{"status": "ACTIVE"}\` enables the endpoint again.`,
          'Deliveries that come due while the endpoint is DISABLED are `skipped` and can be redelivered.',
          `\`GET /v1/webhooks/{id}/deliveries\` lists the last ${limits.deliveryRetentionDays} days. A single delivery includes its \`body\`, to the byte, and its attempts with status, time, the \`request_headers\` with the signatures that were sent, and the first 4 KiB of your response. The \`timings\` of an attempt say how long DNS, TCP, TLS and the first byte took; over a connection that was open already there is only the last.`,
          'A slow or dead endpoint delays only its own deliveries.',
        ),
      ],
    },
    {
      id: 'webhooks-secrets',
      title: 'Rotating the signing secret',
      blocks: [
        text(
          `\`POST /v1/webhooks/{id}/rotate_secret\` returns a new secret, which is shown only once. For ${durationText(secretOverlapMs)} both secrets sign every delivery, the new one first, so that you can switch without missing a delivery; \`previous_secret_valid_until\` shows when the old one stops. At most two secrets sign: if you rotate again within that time, the oldest secret stops immediately.`,
        ),
      ],
    },
  ],
})

export const verification: Section = {
  id: 'verification',
  title: 'Verifying signatures',
  blocks: [
    text(
      'Each delivery has `Svc-Signature: t=1795426361,v1=1da1…`; after a rotation of the secret it has two `v1` for a while. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` say the same in the form of Standard Webhooks.',
    ),
    steps(
      `Refuse the request if \`t\` differs from your clock by more than ${limits.webhookReplayWindowSeconds} seconds.`,
      'Compute the hex HMAC-SHA256 of `t`, a dot and the **raw** body, keyed by the whole secret (`whsec_` included).',
      'Accept the request if any `v1` equals it, compared in constant time. Parse the JSON only then.',
    ),
    text(
      'The [client libraries](#libraries) check it: `constructEvent` of `docex/webhooks` in TypeScript and `construct_event` of `docex.webhooks` in Python take the raw body, the headers and the secret. They return the event, or throw `SignatureError`, which you answer with 400.',
    ),
    text(
      '`constructEvent` of the `stripe` package checks the same scheme, and `standardwebhooks` checks the second set of headers: either library verifies deliveries of this service. Without a library:',
    ),
    ...(['js', 'python', 'java', 'php'] as const).map((language) =>
      code(language, snippets[language]),
    ),
  ],
}

export const catchingUp = ({ baseUrl }: Config): Section => ({
  id: 'catching-up',
  title: 'Order, duplicates and catching up',
  blocks: [
    list(
      '**At least once.** A delivery whose response was lost is sent again. Store the `Svc-Webhook-Id` of each processed event (as a unique key, in the same transaction as its effect), and ignore an event that you have already processed.',
      `**Order.** First attempts are sent in the order in which the changes were committed, up to ${limits.concurrentDeliveriesPerEndpointMax} at a time. They may arrive in another order, and retries arrive later still. \`sequence\` counts from 1 without gaps per document and receiver: apply an event if it is the next one, and ignore it if it is not newer than what you have. \`data.document\` is always complete, so the newest event is all you need.`,
      '**Exactness.** An event is written in the transaction of its change: a write that was rolled back has no event, and a committed one always has.',
    ),
    text(
      'Webhooks notify you promptly. To be certain, follow the event feed as well: request what was committed after the last event that you processed. The feed is exact, in commit order, and never misses an event.',
    ),
    code(
      'sh',
      curl({
        method: 'GET',
        url: `${baseUrl}/v1/events?limit=1`,
        credential: 'API_KEY',
        keeps: { variable: 'EVENT_ID', prefix: 'evt' },
      }),
    ),
    code(
      'sh',
      curl({
        method: 'GET',
        url: `${baseUrl}/v1/events?after=$EVENT_ID&limit=100`,
        credential: 'API_KEY',
      }),
    ),
    list(
      `The feed covers ${limits.eventRetentionDays} days. An older \`after\` is refused with \`invalid_cursor\`, so you never get a gap unnoticed.`,
      'To start, or after a longer absence, first note the newest event (`GET /v1/events?limit=1`), then read `GET /v1/documents?sort=updated` ([pagination](#pagination)), and then follow the feed after the event that you noted. What changes during the sweep is in both.',
      'To have events delivered again instead, send `POST /v1/webhooks/{id}/redeliver` with `since`, which includes events older than the endpoint, or `…/deliveries/{delivery_id}/redeliver` for a single one.',
    ),
  ],
})
