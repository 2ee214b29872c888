/** Forgets what has aged out: kept replies after their retention, events after 30 days. */
import { limits } from '../contract/limits.ts'
import { purgeEvents } from '../store/events.ts'
import { purgeReplies } from '../store/idempotency.ts'
import type { Task } from './runner.ts'

const dayMs = 86_400_000

export const purgeExpired: Task = {
  name: 'purge-expired',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, config }) => {
    const most = limits.purgeRowsPerRound
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
    const replies = await purgeReplies(database.read, ago(config.idempotencyRetentionMs), most)
    const events = await purgeEvents(database.read, ago(limits.eventRetentionDays * dayMs), most)
    return replies === most || events === most
  },
}
