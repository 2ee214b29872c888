/**
 * Purges what has expired, has ended or is needed by nothing any more: rows by their age or their
 * end; events, deliveries and the request log by dropping the partition of a week when all of it
 * has expired. All of it by the clock of the database, since that of a process may be wrong: a
 * response that is purged too early makes a repeated request run again.
 */
import type { Context } from '../context.ts'
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
import { purgeRailEvents } from '../store/payments/processors.ts'
import type { Task } from './runner.ts'

const weekMs = 7 * dayMs
/** A Monday. Weeks begin on Monday in UTC, as the partitions do. */
const firstMondayMs = 4 * dayMs

/** The lowest id of the oldest week that is not dropped: part of it is younger than `days`. */
const firstKeptId = (nowMs: number, days: number): string => {
  const at = nowMs - days * dayMs
  return firstUuidAt(at - ((at - firstMondayMs) % weekMs))
}

type Retention = Pick<Context['config'], 'idempotencyRetentionMs'>

/** What is purged at an age. */
const aged: readonly [
  purge: (db: Queryable, before: string, limit: number) => Promise<number>,
  ageMs: (retention: Retention) => number,
][] = [
  [purgeStoredResponses, ({ idempotencyRetentionMs }) => idempotencyRetentionMs],
  [purgeReplacedContents, (retention) => outliving(retention, limits.replacedContentDays)],
  // The kept key of a request names its approval.
  [purgeApprovals, (retention) => outliving(retention, approvalLimits.approvalRetentionDays)],
  [purgeNotices, () => limits.noticeRetentionDays * dayMs],
  [purgeLinkRequests, () => limits.linkRequestWindowMs],
  [purgeRailEvents, () => limits.railEventDays * dayMs],
]

/** So many days, and longer than stored responses are kept. */
const outliving = ({ idempotencyRetentionMs }: Retention, days: number): number =>
  Math.max(days * dayMs, idempotencyRetentionMs + dayMs)

/** What is purged once it has ended. */
const ended: readonly ((db: Queryable, limit: number) => Promise<number>)[] = [
  purgeSessions,
  purgeSignInLinks,
  purgeSignInFailures,
  purgeDeviceCodes,
  purgeMemberInvitations,
  purgeOidcAttempts,
]

export const purgeExpired: Task = {
  name: 'purge-expired',
  everyMs: limits.purgeEveryMs,
  run: async ({ database: { background: db }, config }) => {
    const batchSize = limits.purgeRowsPerRound
    const nowMs = Date.parse(await databaseNow(db))
    const counts: number[] = []
    for (const [purge, ageMs] of aged) {
      counts.push(await purge(db, earlier(nowMs, ageMs(config)), batchSize))
    }
    for (const purge of ended) counts.push(await purge(db, batchSize))
    const hasMoreWeeks = await purgeWeeks(db, nowMs)
    return hasMoreWeeks || counts.includes(batchSize)
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
