/**
 * Notifies the workers of commits, so that they need not wait for their next poll. It runs after
 * the COMMIT: a NOTIFY inside the transaction would serialize all commits of the database.
 */
import { limits } from '../../contract/limits.ts'
import { type Queryable, sql } from '../../database/sql.ts'

export const feedChannel = 'docex_feed'

/** Returns a throttled notifier: at once after a quiet period, else once for all recent commits. */
export const openFeedNotifier = (db: Queryable): (() => void) => {
  let isResting = false
  let isPending = false
  const send = () => {
    isResting = true
    isPending = false
    setTimeout(() => {
      isResting = false
      if (isPending) send()
    }, limits.feedNotifyEveryMs).unref()
    // Only a hint: the next poll finds what a lost notification would have announced.
    db.run(sql`select pg_notify(${feedChannel}, '')`).catch(() => {})
  }
  return () => {
    if (isResting) isPending = true
    else send()
  }
}
