/** How to retry writes safely, and how to try them without effect. */
import type { Config } from '../../config.ts'
import { limits } from '../../contract/limits.ts'
import { type Section, list, table, text } from '../blocks.ts'
import { durationText } from './duration.ts'

export const idempotency = ({ idempotencyRetentionMs }: Config): Section => ({
  id: 'idempotency',
  title: 'Idempotency and dry runs',
  blocks: [
    text(
      `Every write (POST, PUT, PATCH, DELETE) requires the header \`Idempotency-Key\`, with ${limits.idempotencyKeyMinLength} to ${limits.idempotencyKeyMaxLength} printable characters. Use a new key for each operation that you intend, and the same key for every retry of it. Retries are then always safe: the operation is performed once.`,
    ),
    table(
      ['Request', 'Response'],
      [
        [
          'The same key and the same request',
          'The original response, with the same status and the same bytes, and the headers `Idempotent-Replay: true` and `Svc-Original-Request-Id`',
        ],
        [
          'The same key, but another body or path',
          '[idempotency_conflict](#errors-idempotency_conflict); the original response can still be replayed',
        ],
        [
          'The same key while the first request is still running',
          '[conflict](#errors-conflict) with `reason: request_in_progress` and `Retry-After`',
        ],
        [
          'A write without a key',
          '[invalid_request](#errors-invalid_request), before anything happens',
        ],
      ],
    ),
    list(
      'Only successful responses are stored. A refused request releases its key: correct the request and send it with the same key. One that waits for an [approval](#approvals) keeps its key: send it again as it was.',
      'Bodies are compared as JSON: the order of keys and white space do not matter. An empty body equals `{}`.',
      `Keys belong to the organization, not to the API key, and are stored for ${durationText(idempotencyRetentionMs)}. After that, the same key performs the operation again.`,
      'The write and its response are stored in one transaction, so neither exists without the other.',
      'Admins can see which requests arrived: [`GET /v1/requests`](#requests.list) lists the last 30 days with their Idempotency-Keys and statuses, and of a replay the request that was executed.',
      'If the connection breaks before the response arrives, `GET /v1/idempotency/{key}` tells you whether the write succeeded and which record it concerned.',
    ),
    text(
      'Send `Svc-Dry-Run: true` with any write to run every check without changing anything. The response has status 200, the header `Svc-Dry-Run: true` and the body that the real request would return. Nothing is stored or sent, and the Idempotency-Key, which is still required, is not used up. Numbers and secrets that the real request would assign are null. The id of a record that it would create is a placeholder: the real request assigns another one.',
    ),
  ],
})
