/**
 * Deliveries as admins see, redeliver and recover them. The workers' use of the same rows is in
 * delivery-queue.ts.
 */
import { deliveredEventTypes } from '../../contract/shapes/webhooks.ts'
import { limits } from '../../contract/limits.ts'
import { type Queryable, inlined, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { countOf } from '../../database/counts.ts'
import type { Rows } from '../../database/rows.ts'
import { insertRows } from '../../database/table-writes.ts'
import { dueAtOnce } from './delivery-queue.ts'
import { isAmong } from '../../database/conditions.ts'

export type DeliveryRow = Rows['webhook_delivery']
export type AttemptRow = Rows['webhook_attempt']

export interface DeliveryListFilters {
  statuses?: readonly string[] | undefined
  types?: readonly string[] | undefined
  since?: string | undefined
  until?: string | undefined
}

/** A position in an endpoint's list of deliveries. */
export interface DeliveryPosition {
  created_at: string
  feed: bigint
  id: string
}

export interface DeliveryListPage {
  rows: DeliveryRow[]
  /** Where the next page starts; null when there is none. */
  next: DeliveryPosition | null
}

const isShownTime = (column: string) => `${column} between '0001-01-01' and '9999-12-31'`
const isYoungerThan = (days: number) => `created_at > now() - interval '${days} days'`
/**
 * Callers see finished deliveries for this long; the rows are stored up to a week longer. One whose
 * time or type has no form in which it could be shown is left out: no seal covers either.
 */
const isShown = raw(`${isYoungerThan(limits.eventStorageDays)}
  and (due_at is not null or ${isYoungerThan(limits.deliveryRetentionDays)})
  and ${isShownTime('created_at')}
  and event_type in (${deliveredEventTypes.map((name) => `'${name}'`).join()})`)

export interface DayOfDeliveries {
  succeeded: number
  failed: number
  attempts: number
  p95_ms: number | null
}

/** How the newest deliveries of the last 24 hours have fared. */
export const lastDayOf = async (db: Queryable, webhook: string): Promise<DayOfDeliveries> => {
  const row = await db.row<DayOfDeliveries>(sql`
    with d as (
      select id, status from webhook_delivery
      where webhook_id = ${webhook} and ${raw(isYoungerThan(1))}
      order by created_at desc, feed desc, id desc
      limit ${inlined(limits.listScanMaxRows)})
    select count(*) filter (where status = 'succeeded')::int as succeeded,
      count(*) filter (where status = 'failed')::int as failed, a.attempts, a.p95_ms
    from d, (
      select count(*)::int as attempts,
        percentile_disc(0.95) within group (order by duration_ms) as p95_ms
      from d join webhook_attempt on delivery_id = d.id) a
    group by a.attempts, a.p95_ms`)
  return row ?? { succeeded: 0, failed: 0, attempts: 0, p95_ms: null }
}

/** Newest first. Reads a bounded number of rows, so a page may be short yet have a next one. */
export const deliveriesOf = async (
  db: Queryable,
  webhook: string,
  filters: DeliveryListFilters,
  { before, limit }: { before: DeliveryPosition | undefined; limit: number },
): Promise<DeliveryListPage> => {
  const { statuses, types, since, until } = filters
  const position =
    before === undefined
      ? sql``
      : sql` and (created_at, feed, id) < (${before.created_at}, ${before.feed}, ${before.id})`
  const from = since === undefined ? sql`` : sql` and created_at >= ${since}`
  const to = until === undefined ? sql`` : sql` and created_at <= ${until}`
  const scan = sql`select * from webhook_delivery
    where webhook_id = ${webhook}${position}${from}${to} and ${isShown}
    order by created_at desc, feed desc, id desc`
  const rows = await db.rows<DeliveryRow>(sql`
    select * from (${scan} limit ${inlined(limits.listScanMaxRows)}) d
    where ${isAmong('status', 'text', statuses)} and ${isAmong('event_type', 'text', types)}
    order by created_at desc, feed desc, id desc limit ${inlined(limit + 1)}`)
  const page = rows.slice(0, limit)
  if (rows.length > limit) return { rows: page, next: page.at(-1)! }
  const last = await db.row<DeliveryPosition>(sql`
    select created_at, feed, id
    from (${scan} offset ${inlined(limits.listScanMaxRows - 1)} limit 1) d`)
  return { rows: page, next: last ?? null }
}

export const deliveryById = (
  db: Queryable,
  webhook: string,
  id: string,
): Promise<DeliveryRow | undefined> =>
  db.row(sql`
    select * from webhook_delivery
    where id = ${id} and webhook_id = ${webhook} and ${isShown}`)

export type ShownAttempt = Omit<AttemptRow, 'delivery_id'>

/** The newest ones, oldest first. */
export const attemptsOf = async (db: Queryable, delivery: string): Promise<ShownAttempt[]> => {
  const rows = await db.rows<ShownAttempt>(sql`
    select number, at, response_status, duration_ms, error, response_body, response_headers,
      timings, signatures
    from webhook_attempt
    where delivery_id = ${delivery} and ${raw(isShownTime('at'))}
    order by number desc limit ${inlined(limits.deliveryAttemptsShown)}`)
  return rows.toReversed()
}

/** Makes the delivery due now, with a fresh retry schedule. Requires the endpoint's lock. */
export const redeliver = async (db: Queryable, { id, webhook_id }: DeliveryRow) => {
  await db.run(sql`
    update webhook_delivery set status = 'pending', due_at = now(), finished_at = null,
      attempts_before = attempt_count
    where id = ${id}`)
  await markEndpointDue(db, webhook_id)
}

export const markEndpointDue = (db: Queryable, webhook: string): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set next_due_at = ${dueAtOnce} where id = ${webhook}`)

export interface RecoveryRange {
  webhook: string
  organization: string
  since: string
  until: string
  /** Empty = all. */
  types: readonly string[]
}

/**
 * Schedules every event of the range that was not delivered successfully, whether its delivery
 * failed, was skipped, or never existed because the event was not subscribed to or is older than
 * the endpoint. Events beyond the endpoint's cursor follow by themselves. Requires the endpoint's
 * lock.
 */
export const recoverRange = async (
  db: Queryable,
  { webhook, organization, since, until, types }: RecoveryRange,
): Promise<{ scheduled: number; nextSince: string | null }> => {
  const max = inlined(limits.recoverEventsMax)
  const ofType = types.length === 0 ? sql`` : sql` and e.type = any(${columnArray('text', types)})`
  const range = sql`
    select e.id, e.feed, e.type, e.created_at from events e
    join webhook_endpoints w on w.id = ${webhook} and e.feed <= w.cursor
    where e.organization_id = ${organization} and e.created_at >= ${since}
      and e.created_at <= ${until} and e.${raw(isYoungerThan(limits.eventStorageDays))}${ofType}
    order by e.feed`
  const scheduled = await db.run(sql`
    insert into webhook_delivery as d
      (id, webhook_id, organization_id, event_id, event_type, feed, status, due_at, created_at)
    select delivery_id_of(e.id, ${webhook}), ${webhook}, ${organization}, e.id, e.type, e.feed,
      'pending', now(), now()
    from (${range} limit ${max}) e
    on conflict (id) do update set status = 'pending', due_at = now(), finished_at = null,
      attempts_before = d.attempt_count
    where d.status in ('failed', 'skipped')`)
  await markEndpointDue(db, webhook)
  const next = await db.row<{ created_at: string }>(sql`
    select created_at from (${range} offset ${max} limit 1) e`)
  return { scheduled, nextSince: next?.created_at ?? null }
}

/**
 * Inserts a ping with its only attempt. A success counts like any other; a failure never counts.
 * Requires the endpoint's lock.
 */
export const insertPing = async (
  db: Queryable,
  webhook: string,
  ping: { id: string; event_id: string; payload: string },
  attempt: AttemptRow,
): Promise<void> => {
  await db.run(sql`
    insert into webhook_delivery
      (id, webhook_id, organization_id, event_id, event_type, feed, payload, status,
       attempt_count, last_response_status, last_error, created_at, finished_at)
    select ${ping.id}, w.id, w.organization_id, ${ping.event_id}, 'ping', w.cursor,
      ${ping.payload}, ${attempt.error === null ? 'succeeded' : 'failed'}, 1,
      ${attempt.response_status}, ${attempt.error}, ${attempt.at},
      greatest(${attempt.at}::timestamptz, now())
    from webhook_endpoints w where w.id = ${webhook}`)
  await db.run(
    attempt.error === null
      ? sql`update webhook_endpoints set last_success_at = now(), consecutive_failures = 0
          where id = ${webhook}`
      : sql`update webhook_endpoints set last_failure_at = now() where id = ${webhook}`,
  )
  await insertRows(db, 'webhook_attempt', [attempt])
}

/**
 * Deletes deliveries and their attempts, where no partition was dropped with them: those with an id
 * below `before.id` that are not younger than their event. A due delivery is kept as long as it.
 */
export const purgeDeliveries = (
  db: Queryable,
  before: { id: string; finished: string; all: string },
  limit: number,
): Promise<number> =>
  countOf(
    db,
    sql`
    with purged as (
      delete from webhook_delivery where id < ${before.id} and id in
        (select id from webhook_delivery where id < ${before.id}
           and created_at < ${before.finished} and (due_at is null or created_at < ${before.all})
         limit ${limit})
      returning id),
    attempts as (
      delete from webhook_attempt
      where delivery_id < ${before.id} and delivery_id in (select id from purged))
    select count(*) as count from purged`,
  )
