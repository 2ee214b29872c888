/**
 * Forgets what has aged out: kept replies after their retention, events, deliveries and the log of
 * calls after 30 days, sessions and sign-in links when they have ended.
 */
import { limits } from '../contract/limits.ts'
import { firstUuidAt } from '../core/ids.ts'
import { purgeDeliveries } from '../store/webhooks/deliveries.ts'
import { purgeEvents } from '../store/webhooks/events.ts'
import { purgeReplies } from '../store/idempotency.ts'
import { purgeRequests } from '../store/request-log.ts'
import { purgeLinks, purgeSessions } from '../store/identity/sessions.ts'
import type { Task } from './runner.ts'

const dayMs = 86_400_000

export const purgeExpired: Task = {
  name: 'purge-expired',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, config }) => {
    const most = limits.purgeRowsPerRound
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    const replies = await purgeReplies(database.read, ago(config.idempotencyRetentionMs), most)
    const all = ago(limits.eventsKeptDays * dayMs)
    const events = await purgeEvents(database.read, all, most)
    const finished = ago(limits.deliveryRetentionDays * dayMs)
    const deliveries = await purgeDeliveries(database.read, { finished, all }, most)
    const firstCall = firstUuidAt(Date.now() - limits.requestRetentionDays * dayMs)
    const calls = await purgeRequests(database.read, firstCall, most)
    const sessions = await purgeSessions(database.read, most)
    const links = await purgeLinks(database.read, most)
    return [replies, events, deliveries, calls, sessions, links].includes(most)
  },
}
