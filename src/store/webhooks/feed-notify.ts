/**
 * Tells the workers that something committed, so that they look at once and not only at their next
 * poll. After the COMMIT and apart from it: a notice inside of the transaction would make every
 * commit of the database wait for every other.
 */
import { limits } from '../../contract/limits.ts'
import { type Queryable, sql } from '../../database/sql.ts'

export const feedChannel = 'docex_feed'

/** At once when it has been quiet; otherwise one for all that committed since the last. */
export const openFeedNotifier = (db: Queryable): (() => void) => {
  let isResting = false
  let isMissed = false
  const send = () => {
    isResting = true
    isMissed = false
    setTimeout(() => {
      isResting = false
      if (isMissed) send()
    }, limits.feedNotifyEveryMs).unref()
    // Only a hint: what is not heard is found by the next poll.
    db.run(sql`select pg_notify(${feedChannel}, '')`).catch(() => {})
  }
  return () => {
    if (isResting) isMissed = true
    else send()
  }
}
