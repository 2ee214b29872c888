/** Webhooks: how to receive them, how to verify them, and how to miss nothing. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { curl } from '../examples/curl.ts'
import { exampleDocuments } from '../examples/documents.ts'
import { eventId, exampleEvent } from '../examples/webhooks.ts'
import { type Section, code, json, list, steps, text } from '../blocks.ts'
import { duration } from './api-conventions.ts'
import { snippets } from './signature-snippets.ts'

export const webhooks = ({
  baseUrl,
  webhooks: { retryDelaysMs, secretOverlapMs },
}: Config): Section => ({
  id: 'webhooks',
  title: 'Webhooks',
  blocks: [
    text(
      'Register an https address, and every event of your organization is POSTed to it, signed, as the same envelope that `GET /v1/events` lists. Each event is projected for its receiver and frozen when it is written: the same bytes over all attempts, however late.',
    ),
    code(
      'sh',
      curl({
        method: 'POST',
        url: `${baseUrl}/v1/webhooks`,
        credential: 'ADMIN_SESSION_TOKEN',
        idempotencyKey: 'my-first-endpoint',
        body: { url: 'https://example.com/webhooks', events: ['document.status_changed'] },
      }),
    ),
    text(
      'The answer holds the signing secret, once. `POST /v1/webhooks/{id}/ping` then sends a test event, signed like the real thing, and tells what your receiver answered.',
    ),
    json({
      ...exampleEvent(exampleDocuments.approvedBill),
      data: { document: { id: '…' }, previous_status: 'submitted' },
    }),
    text('What there is to be told of, and what an envelope holds: [events](#events).'),
  ],
  sections: [
    {
      id: 'webhooks-delivery',
      title: 'Attempts, retries and disabling',
      blocks: [
        list(
          `Answer 2xx quickly, and do the work later. One attempt has ${limits.outboundTimeoutMs / 1000} s in all, ${limits.outboundConnectTimeoutMs / 1000} s of it to connect. Redirects are not followed.`,
          `Anything but a complete 2xx is tried again after about ${retryDelaysMs.map(duration).join(', ')} (±10 %). \`Retry-After\` on 429 and 503 is honoured, up to the next slot. The sixth failure is final.`,
          `${limits.webhookFailuresMax} deliveries in a row that failed for good disable the endpoint, with \`disabled_reason\`; one success resets the count, that of a ping or of a redelivery too. A ping that fails never counts; a redelivery that fails for good does. PATCH \`{"status": "ACTIVE"}\` enables it again.`,
          'What comes due while the endpoint is DISABLED is `skipped`, and stays redeliverable.',
          `\`GET /v1/webhooks/{id}/deliveries\` shows the last ${limits.deliveryRetentionDays} days; one delivery shows its attempts with status, time and the first 4 KiB of your answer.`,
          'An endpoint that is slow or dead delays nobody but itself.',
        ),
      ],
    },
    {
      id: 'webhooks-secrets',
      title: 'Secrets and their rotation',
      blocks: [
        text(
          `\`POST /v1/webhooks/{id}/rotate_secret\` answers a new secret, once. For ${duration(secretOverlapMs)} both sign every delivery, the new one first, so that you can change over without missing one; \`previous_secret_valid_until\` says when the old one stops. At most two secrets sign: rotate again within that time, and the one before the last stops at once.`,
        ),
      ],
    },
  ],
})

export const verification: Section = {
  id: 'verification',
  title: 'Verifying signatures',
  blocks: [
    steps(
      `Refuse when \`t\` differs from your clock by more than ${limits.webhookReplayWindowSeconds} seconds.`,
      'Compute the hex HMAC-SHA256 of `t`, a dot and the **raw** body, keyed by the whole secret (`whsec_` included).',
      'Accept when any `v1` equals it, compared in constant time. Parse the JSON only then.',
    ),
    text(
      'The scheme is the one that `constructEvent` of the `stripe` package checks, and the second set of headers is what `standardwebhooks` checks: either library verifies our deliveries. Without a library:',
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
      '**At least once.** A delivery whose answer was lost is sent again. Keep the `Svc-Webhook-Id` of what you have processed (as a unique key, in the same transaction as the effect), and drop what you know.',
      `**Order.** First attempts leave in the order in which the changes were committed, up to ${limits.concurrentDeliveriesPerEndpointMax} at a time: leave, not arrive, and a retry comes later still. \`sequence\` counts per document and receiver from 1 without a gap: apply an event when it is the next, and ignore one that is not newer than what you have. \`data.document\` is whole, so the newest is all you need.`,
      '**Nothing is made up.** An event is written in the transaction of its change: there is none for a write that was rolled back, and none is missing for one that was committed.',
    ),
    text(
      'Webhooks are for promptness. To be sure, follow the feed: ask for what was committed after the last event that you processed. It is exact, in the order of commit, and nothing is ever missed.',
    ),
    code(
      'sh',
      curl({
        method: 'GET',
        url: `${baseUrl}/v1/events?after=${eventId}&limit=100`,
        credential: 'API_KEY',
      }),
    ),
    list(
      `The feed holds ${limits.eventRetentionDays} days. An \`after\` that has aged out is refused with \`invalid_cursor\`, never answered with a gap.`,
      'After a longer absence, or to start, sweep `GET /v1/documents?updated_since=` once ([pages](#pagination)), then follow the feed from its newest event.',
      'To have events delivered again instead: `POST /v1/webhooks/{id}/redeliver` with `since`, also for events older than the endpoint, or `…/deliveries/{delivery_id}/redeliver` for one.',
    ),
  ],
})
