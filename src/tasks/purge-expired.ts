/**
 * Purges expired rows: stored responses after their retention, events, deliveries and the request
 * log after 30 days, former contents of drafts once nothing shows them, and sessions and sign-in
 * links once they have ended.
 */
import { limits } from '../contract/limits.ts'
import { firstUuidAt } from '../core/ids.ts'
import { purgeDeliveries } from '../store/webhooks/deliveries.ts'
import { purgeEvents } from '../store/webhooks/events.ts'
import { purgeReplacedContents } from '../store/documents/replaced-contents.ts'
import { purgeStoredResponses } from '../store/idempotency.ts'
import { purgeRequests } from '../store/request-log.ts'
import { purgeSessions } from '../store/identity/sessions.ts'
import { purgeSignInLinks } from '../store/identity/sign-in-links.ts'
import type { Task } from './runner.ts'

const dayMs = 86_400_000

export const purgeExpired: Task = {
  name: 'purge-expired',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, config }) => {
    const batchSize = limits.purgeRowsPerRound
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    const responses = await purgeStoredResponses(
      database.background,
      ago(config.idempotencyRetentionMs),
      batchSize,
    )
    const all = ago(limits.eventStorageDays * dayMs)
    const events = await purgeEvents(database.background, all, batchSize)
    const contents = await purgeReplacedContents(
      database.background,
      ago(Math.max(limits.replacedContentDays * dayMs, config.idempotencyRetentionMs + dayMs)),
      batchSize,
    )
    const finished = ago(limits.deliveryRetentionDays * dayMs)
    const deliveries = await purgeDeliveries(database.background, { finished, all }, batchSize)
    const firstKept = firstUuidAt(Date.now() - limits.requestRetentionDays * dayMs)
    const requests = await purgeRequests(database.background, firstKept, batchSize)
    const sessions = await purgeSessions(database.background, batchSize)
    const signInLinks = await purgeSignInLinks(database.background, batchSize)
    return [responses, events, contents, deliveries, requests, sessions, signInLinks].includes(
      batchSize,
    )
  },
}
