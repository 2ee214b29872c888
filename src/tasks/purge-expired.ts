/**
 * Purges expired rows: stored responses after their retention, events, deliveries and the request
 * log after 30 days, and sessions and sign-in links once they have ended.
 */
import { limits } from '../contract/limits.ts'
import { firstUuidAt } from '../core/ids.ts'
import { purgeDeliveries } from '../store/webhooks/deliveries.ts'
import { purgeEvents } from '../store/webhooks/events.ts'
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
      database.read,
      ago(config.idempotencyRetentionMs),
      batchSize,
    )
    const all = ago(limits.eventStorageDays * dayMs)
    const events = await purgeEvents(database.read, all, batchSize)
    const finished = ago(limits.deliveryRetentionDays * dayMs)
    const deliveries = await purgeDeliveries(database.read, { finished, all }, batchSize)
    const firstKept = firstUuidAt(Date.now() - limits.requestRetentionDays * dayMs)
    const requests = await purgeRequests(database.read, firstKept, batchSize)
    const sessions = await purgeSessions(database.read, batchSize)
    const signInLinks = await purgeSignInLinks(database.read, batchSize)
    return [responses, events, deliveries, requests, sessions, signInLinks].includes(batchSize)
  },
}
