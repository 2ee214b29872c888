/**
 * Purges what has expired: stored responses after their retention, former contents of drafts once
 * nothing shows them, sessions, sign-in links and device codes once they have ended, failed
 * sign-ins once they are forgotten, requests for links after an hour, notices after two weeks; and
 * events, deliveries and the request log after 30 days, by dropping the partition of a week when
 * all of it has expired. All of it by the clock of the database, since that of a process may be
 * wrong: a response that is purged too early makes a repeated request run again.
 */
import { approvalLimits } from '../contract/approval-limits.ts'
import { limits } from '../contract/limits.ts'
import { dayMs } from '../core/dates.ts'
import { firstUuidAt } from '../core/ids.ts'
import { databaseNow } from '../database/database-clock.ts'
import type { Queryable } from '../database/sql.ts'
import { dropExpiredPartitions, preparePartitions } from '../store/partitions.ts'
import { purgeDeliveries } from '../store/webhooks/deliveries.ts'
import { purgeEvents } from '../store/webhooks/events.ts'
import { purgeReplacedContents } from '../store/documents/replaced-contents.ts'
import { purgeStoredResponses } from '../store/idempotency.ts'
import { purgeRequests } from '../store/request-log.ts'
import { purgeApprovals } from '../store/approvals/approvals.ts'
import { purgeDeviceCodes } from '../store/identity/device-codes.ts'
import { purgeLinkRequests } from '../store/identity/link-requests.ts'
import { purgeMemberInvitations } from '../store/identity/member-invitations.ts'
import { purgeOidcAttempts } from '../store/identity/oidc-attempts.ts'
import { purgeSessions } from '../store/identity/sessions.ts'
import { purgeSignInFailures } from '../store/identity/sign-in-failures.ts'
import { purgeSignInLinks } from '../store/identity/sign-in-links.ts'
import { purgeNotices } from '../store/notices/notices.ts'
import type { Task } from './runner.ts'

const weekMs = 7 * dayMs
/** A Monday. Weeks begin on Monday in UTC, as the partitions do. */
const firstMondayMs = 4 * dayMs

/** The lowest id of the oldest week that is not dropped: part of it is younger than `days`. */
const firstKeptId = (nowMs: number, days: number): string => {
  const at = nowMs - days * dayMs
  return firstUuidAt(at - ((at - firstMondayMs) % weekMs))
}

export const purgeExpired: Task = {
  name: 'purge-expired',
  everyMs: limits.purgeEveryMs,
  run: async ({ database, config }) => {
    const batchSize = limits.purgeRowsPerRound
    const nowMs = Date.parse(await databaseNow(database.background))
    const ago = (ms: number): string => earlier(nowMs, ms)
    const responses = await purgeStoredResponses(
      database.background,
      ago(config.idempotencyRetentionMs),
      batchSize,
    )
    const contents = await purgeReplacedContents(
      database.background,
      ago(Math.max(limits.replacedContentDays * dayMs, config.idempotencyRetentionMs + dayMs)),
      batchSize,
    )
    const sessions = await purgeSessions(database.background, batchSize)
    const signInLinks = await purgeSignInLinks(database.background, batchSize)
    const failures = await purgeSignInFailures(database.background, batchSize)
    const deviceCodes = await purgeDeviceCodes(database.background, batchSize)
    const invitations = await purgeMemberInvitations(database.background, batchSize)
    const approvals = await purgeApprovals(
      database.background,
      // The kept key of a request names its approval.
      ago(
        Math.max(
          approvalLimits.approvalRetentionDays * dayMs,
          config.idempotencyRetentionMs + dayMs,
        ),
      ),
      batchSize,
    )
    const notices = await purgeNotices(
      database.background,
      ago(limits.noticeRetentionDays * dayMs),
      batchSize,
    )
    const linkRequests = await purgeLinkRequests(
      database.background,
      ago(limits.linkRequestWindowMs),
      batchSize,
    )
    const attempts = await purgeOidcAttempts(database.background, batchSize)
    const weeks = await purgeWeeks(database.background, nowMs)
    return (
      weeks ||
      [
        responses,
        contents,
        sessions,
        signInLinks,
        linkRequests,
        attempts,
        deviceCodes,
        invitations,
        approvals,
        notices,
        failures,
      ].includes(batchSize)
    )
  },
}

/**
 * Prepares and drops partitions, and deletes what a dropped week leaves behind: rows of the default
 * partition, and partitions that were in use or have a younger row.
 */
const purgeWeeks = async (db: Queryable, nowMs: number): Promise<boolean> => {
  if (await preparePartitions(db)) return true
  if (await dropExpiredPartitions(db)) return true
  const batchSize = limits.purgeRowsPerRound
  const id = firstKeptId(nowMs, limits.eventStorageDays)
  const events = await purgeEvents(db, id, batchSize)
  const finished = earlier(nowMs, limits.deliveryRetentionDays * dayMs)
  const all = earlier(nowMs, limits.eventStorageDays * dayMs)
  const deliveries = await purgeDeliveries(db, { id, finished, all }, batchSize)
  const requests = await purgeRequests(
    db,
    firstKeptId(nowMs, limits.requestRetentionDays),
    batchSize,
  )
  return [events, deliveries, requests].includes(batchSize)
}

const earlier = (nowMs: number, ms: number): string => new Date(nowMs - ms).toISOString()
