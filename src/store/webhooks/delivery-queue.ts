/**
 * The delivery queue as the workers use it. One worker at a time leases an endpoint; this keeps
 * first attempts in commit order and limits those in flight without a write per delivery. The lease
 * only saves work: unrecorded attempts are sent again by another worker. Every statement that
 * relies on a lock comes after the one that took it.
 */
import { limits } from '../../contract/limits.ts'
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { unnest } from '../../database/table-writes.ts'

/** The columns of an endpoint that a worker needs. */
export type LeasedEndpoint = Pick<
  Rows['webhook_endpoints'],
  | 'id'
  | 'organization_id'
  | 'mode'
  | 'url'
  | 'status'
  | 'secret_sealed'
  | 'previous_secret_sealed'
  | 'previous_secret_valid_until'
>

export interface DueDelivery {
  id: string
  webhook_id: string
  event_id: string
  event_type: string
  attempt_count: number
  attempts_before: number
  /** Null if the event has expired. */
  payload: string | null
  /** The number of due deliveries of the endpoint, up to the fetch limit. */
  waiting: bigint
}

const leasedColumns = raw(`w.id, w.organization_id, w.mode, w.url, w.status, w.secret_sealed,
  w.previous_secret_sealed, w.previous_secret_valid_until`)
const leaseInterval = raw(`interval '${limits.workerLeaseMs} milliseconds'`)

/** Locks the worker's own endpoints, except those that are locked elsewhere. */
export const lockOwnEndpoints = async (
  db: Queryable,
  owner: string,
  webhooks: readonly string[],
): Promise<string[]> => {
  if (webhooks.length === 0) return []
  const rows = await db.rows<{ id: string }>(sql`
    select id from webhook_endpoints
    where id = any(${columnArray('uuid', webhooks)}) and lease_owner = ${owner}
    for no key update skip locked`)
  return rows.map(({ id }) => id)
}

export interface ClaimRequest {
  owner: string
  /** The worker's own endpoints whose queues are full. */
  full: readonly string[]
  /** Where the last poll ended: endpoints take turns, so busy ones do not starve others. */
  after: string
}

/**
 * Locks endpoints that no other worker holds and that have work: events to fan out, due attempts,
 * or an expired lease. Includes the worker's own endpoints, except the full ones.
 */
export const claimEndpoints = async (
  db: Queryable,
  { owner, full, after }: ClaimRequest,
): Promise<string[]> => {
  const claim = (range: SqlQuery, limit: number) =>
    db.rows<{ id: string }>(sql`
      select w.id from webhook_endpoints w
      join organization_counters h on h.organization_id = w.organization_id
      where (w.lease_until is null or w.lease_until < now() or w.lease_owner = ${owner})
        and (h.feed > w.cursor or w.next_due_at <= now() or w.lease_until < now())
        and w.id <> all(${columnArray('uuid', full)}) and ${range}
      order by w.id limit ${raw(String(limit))}
      for no key update of w skip locked`)
  const later = await claim(sql`w.id > ${after}`, limits.claimEndpointsMax)
  const remaining = limits.claimEndpointsMax - later.length
  const earlier = remaining === 0 ? [] : await claim(sql`w.id <= ${after}`, remaining)
  return [...later, ...earlier].map(({ id }) => id)
}

/**
 * Creates the deliveries of newly committed events and advances the cursor. Returns the endpoints
 * for which there may be more events. For a DISABLED endpoint, deliveries are created as skipped.
 */
export const fanOut = async (db: Queryable, webhooks: readonly string[]): Promise<string[]> => {
  const max = raw(String(limits.fanOutEventsPerEndpoint))
  const rows = await db.rows<{ id: string }>(sql`
    with fresh as (
      select w.id as webhook_id, w.organization_id, w.events, w.status = 'ACTIVE' as is_active,
        e.feed, e.id as event_id, e.type, e.created_at
      from webhook_endpoints w
      cross join lateral (
        select e.feed, e.id, e.type, e.created_at from events e
        where e.organization_id = w.organization_id and e.feed > w.cursor
        order by e.feed limit ${max}) e
      where w.id = any(${columnArray('uuid', webhooks)})),
    inserted as (
      insert into webhook_delivery (id, webhook_id, organization_id, event_id, event_type, feed,
        status, due_at, created_at, finished_at)
      select delivery_id_of(event_id, webhook_id), webhook_id, organization_id, event_id, type, feed,
        case when is_active then 'pending' else 'skipped' end,
        case when is_active then least(created_at, now()) end, now(),
        case when not is_active then now() end
      from fresh where cardinality(events) = 0 or type = any(events)
      on conflict (id) do nothing)
    update webhook_endpoints w set cursor = f.feed
    from (select webhook_id, max(feed) as feed, count(*) as events from fresh group by 1) f
    where w.id = f.webhook_id
    returning case when f.events = ${max} then w.id end as id`)
  return rows.map(({ id }) => id).filter((id) => id !== null)
}

/** Skips the due deliveries of DISABLED endpoints. They stay redeliverable. */
export const skipDueOfDisabled = (db: Queryable, webhooks: readonly string[]): Promise<number> =>
  db.run(sql`
    update webhook_delivery set status = 'skipped', due_at = null, finished_at = now()
    where id in (
      select d.id from webhook_endpoints w
      cross join lateral (
        select d.id from webhook_delivery d where d.webhook_id = w.id and d.due_at <= now()
        limit ${raw(String(limits.recordMaxDeliveries))}) d
      where w.id = any(${columnArray('uuid', webhooks)}) and w.status = 'DISABLED')`)

/** The number of due deliveries to fetch for one endpoint, including those already held. */
export interface FetchLimit {
  id: string
  max: number
}

/** Due deliveries per endpoint, in the order in which to send them, limited in number and bytes. */
export const dueDeliveries = (
  db: Queryable,
  fetchLimits: readonly FetchLimit[],
): Promise<DueDelivery[]> => {
  const table = unnest(fetchLimits, { id: 'uuid', max: 'integer' })
  return db.rows<DueDelivery>(sql`
    select id, webhook_id, event_id, event_type, attempt_count, attempts_before, payload, waiting
    from (
      select d.*, e.payload,
        sum(octet_length(e.payload)) over line as bytes, row_number() over line as place,
        count(*) over (partition by d.webhook_id) as waiting
      from ${table} join webhook_endpoints w on w.id = u.id and w.status = 'ACTIVE'
      cross join lateral (
        select d.id, d.webhook_id, d.organization_id, d.event_id, d.event_type, d.feed, d.due_at,
          d.attempt_count, d.attempts_before, d.payload as own_payload
        from webhook_delivery d where d.webhook_id = w.id and d.due_at <= now()
        order by d.due_at, d.feed limit u.max) d
      left join lateral (
        select coalesce(d.own_payload, e.payload) as payload
        from (select) one left join events e
          on e.organization_id = d.organization_id and e.feed = d.feed) e on true
      window line as (partition by d.webhook_id order by d.due_at, d.feed, d.id)) due
    where place = 1 or bytes <= ${raw(String(limits.claimBytesPerEndpoint))}
    order by webhook_id, due_at, feed`)
}

/**
 * Leases the endpoints after their due deliveries have been read, and releases DISABLED ones. Sets
 * next_due_at to the next attempt that is not due yet.
 */
export const leaseEndpoints = (
  db: Queryable,
  owner: string,
  webhooks: readonly string[],
): Promise<LeasedEndpoint[]> =>
  db.rows<LeasedEndpoint>(sql`
    update webhook_endpoints w set
      lease_owner = case when w.status = 'ACTIVE' then ${owner}::uuid end,
      lease_until = case when w.status = 'ACTIVE' then now() + ${leaseInterval} end,
      next_due_at = (select min(d.due_at) from webhook_delivery d
        where d.webhook_id = w.id and (d.due_at > now() or w.status = 'DISABLED' and d.due_at <= now()))
    where w.id = any(${columnArray('uuid', webhooks)})
    returning ${leasedColumns}`)

/** Renews the leases that are still held, and returns their endpoints as they are now. */
export const renewLeases = (db: Queryable, owner: string): Promise<LeasedEndpoint[]> =>
  db.rows<LeasedEndpoint>(sql`
    update webhook_endpoints w set lease_until = now() + ${leaseInterval}
    where w.lease_owner = ${owner} returning ${leasedColumns}`)

/** Releases all leases. Deliveries that were not sent are due at once for any worker. */
export const releaseAllLeases = (db: Queryable, owner: string): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set lease_owner = null, lease_until = null, next_due_at = now()
    where lease_owner = ${owner}`)

type AttemptColumns = Rows['webhook_attempt']

/** The outcome of one attempt, and the resulting state of its delivery. */
export interface AttemptOutcome extends AttemptColumns {
  webhook_id: string
  status: 'succeeded' | 'retrying' | 'failed'
  /** The delay of the next attempt; null if there is none. */
  retry_ms: number | null
}

/**
 * Records each attempt only as the successor of the previous one: attempts that another worker has
 * recorded in the meantime remain, and recording the same attempt twice changes nothing.
 */
export const recordAttempts = async (
  db: Queryable,
  outcomes: readonly AttemptOutcome[],
): Promise<void> => {
  const table = unnest(outcomes, {
    delivery_id: 'uuid',
    number: 'integer',
    at: 'timestamptz',
    response_status: 'integer',
    duration_ms: 'integer',
    error: 'text',
    response_body: 'text',
    status: 'text',
    retry_ms: 'bigint',
  })
  await db.run(sql`
    with outcomes as (select * from ${table}),
    recorded as (
      update webhook_delivery d set status = o.status, attempt_count = o.number,
        last_response_status = o.response_status, last_error = o.error,
        due_at = now() + o.retry_ms * interval '1 millisecond',
        finished_at = case when o.retry_ms is null then now() end
      from outcomes o
      where d.id = o.delivery_id and d.attempt_count = o.number - 1 and d.due_at is not null
      returning d.id)
    insert into webhook_attempt
      (delivery_id, number, at, response_status, duration_ms, error, response_body)
    select o.delivery_id, o.number, o.at, o.response_status, o.duration_ms, o.error,
      o.response_body
    from outcomes o join recorded r on r.id = o.delivery_id`)
}

/** The effect of recorded attempts on the health of their endpoint. */
export interface HealthUpdate {
  webhook_id: string
  succeeded: boolean
  failed: boolean
  /** Terminal failures since the last success among these attempts. */
  failures: number
  last_error: string | null
  retry_ms: number | null
  /** The worker holds none of its deliveries any more. */
  released: boolean
}

/** Locks the endpoints by id, before their deliveries. */
export const lockEndpoints = (db: Queryable, webhooks: readonly string[]): Promise<number> =>
  db.run(sql`
    select id from webhook_endpoints where id = any(${columnArray('uuid', webhooks)})
    order by id for no key update`)

/** Counts consecutive failures and disables endpoints at the limit; returns disabled endpoints. */
export const applyHealthUpdates = async (
  db: Queryable,
  owner: string,
  updates: readonly HealthUpdate[],
): Promise<string[]> => {
  const table = unnest(updates, {
    webhook_id: 'uuid',
    succeeded: 'boolean',
    failed: 'boolean',
    failures: 'integer',
    last_error: 'text',
    retry_ms: 'bigint',
    released: 'boolean',
  })
  const max = raw(String(limits.webhookFailuresMax))
  const rows = await db.rows<{ id: string }>(sql`
    with updates as (
      select u.*, least(${max}, u.failures
        + case when u.succeeded then 0 else w.consecutive_failures end) as consecutive
      from ${table} join webhook_endpoints w on w.id = u.webhook_id)
    update webhook_endpoints w set
      last_success_at = case when u.succeeded then now() else w.last_success_at end,
      last_failure_at = case when u.failed then now() else w.last_failure_at end,
      consecutive_failures = u.consecutive,
      status = case when u.consecutive >= ${max} then 'DISABLED' else w.status end,
      disabled_reason = case when u.consecutive >= ${max} and w.status = 'ACTIVE'
        then ${max} || ' deliveries in a row failed for good. The last one: ' || u.last_error
        else w.disabled_reason end,
      next_due_at = least(w.next_due_at, now() + u.retry_ms * interval '1 millisecond'),
      lease_owner = case when u.released and w.lease_owner = ${owner} then null else w.lease_owner end,
      lease_until = case when u.released and w.lease_owner = ${owner} then null else w.lease_until end
    from updates u where w.id = u.webhook_id
    returning case when w.status = 'DISABLED' then w.id end as id`)
  return rows.map(({ id }) => id).filter((id) => id !== null)
}
