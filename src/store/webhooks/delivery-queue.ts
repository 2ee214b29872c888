/**
 * The queue of deliveries as the workers use it. An endpoint has one worker at a time: it leases
 * the endpoint, which keeps first attempts in commit order and at most so many in flight without a
 * write per delivery. The lease is only an economy: what a worker did not record, another one sends
 * again. Every statement that relies on a lock stands behind the one that took it.
 */
import { limits } from '../../contract/limits.ts'
import { type SqlQuery, type Queryable, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'

/** What a worker needs to know of an endpoint. */
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
  /** Null: the event has aged out. */
  payload: string | null
  /** How many were due, up to what was wanted. */
  waiting: bigint
}

const leasedColumns = raw(`w.id, w.organization_id, w.mode, w.url, w.status, w.secret_sealed,
  w.previous_secret_sealed, w.previous_secret_valid_until`)
const leaseInterval = raw(`interval '${limits.workerLeaseMs} milliseconds'`)

/** Locks those of one's own endpoints that are not just being changed. */
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
  /** Own endpoints that have enough. */
  full: readonly string[]
  /** Where the last look ended: endpoints take turns, so that those with much to do hide none. */
  after: string
}

/**
 * Locks endpoints that have something to do and that no other worker holds: events to be told of,
 * attempts that are due, or a lease that ran out. Own ones too, but for those that have enough.
 */
export const claimEndpoints = async (
  db: Queryable,
  { owner, full, after }: ClaimRequest,
): Promise<string[]> => {
  const claim = (range: SqlQuery, most: number) =>
    db.rows<{ id: string }>(sql`
      select w.id from webhook_endpoints w
      join organization_counters h on h.organization_id = w.organization_id
      where (w.lease_until is null or w.lease_until < now() or w.lease_owner = ${owner})
        and (h.feed > w.cursor or w.next_due_at <= now() or w.lease_until < now())
        and w.id <> all(${columnArray('uuid', full)}) and ${range}
      order by w.id limit ${raw(String(most))}
      for no key update of w skip locked`)
  const later = await claim(sql`w.id > ${after}`, limits.claimEndpointsMax)
  const missing = limits.claimEndpointsMax - later.length
  const rest = missing === 0 ? [] : await claim(sql`w.id <= ${after}`, missing)
  return [...later, ...rest].map(({ id }) => id)
}

/**
 * Makes the deliveries of what committed since, and moves the cursor with them. Answers the
 * endpoints for which there may be more. What a DISABLED endpoint would have been told is skipped.
 */
export const fanOut = async (db: Queryable, webhooks: readonly string[]): Promise<string[]> => {
  const most = raw(String(limits.fanOutEventsPerEndpoint))
  const rows = await db.rows<{ id: string }>(sql`
    with told as (
      select w.id as webhook_id, w.organization_id, w.events, w.status = 'ACTIVE' as is_active,
        e.feed, e.id as event_id, e.type, e.created_at
      from webhook_endpoints w
      cross join lateral (
        select e.feed, e.id, e.type, e.created_at from events e
        where e.organization_id = w.organization_id and e.feed > w.cursor
        order by e.feed limit ${most}) e
      where w.id = any(${columnArray('uuid', webhooks)})),
    made as (
      insert into webhook_delivery (id, webhook_id, organization_id, event_id, event_type, feed,
        status, due_at, created_at, finished_at)
      select delivery_id_of(event_id, webhook_id), webhook_id, organization_id, event_id, type, feed,
        case when is_active then 'pending' else 'skipped' end,
        case when is_active then least(created_at, now()) end, now(),
        case when not is_active then now() end
      from told where cardinality(events) = 0 or type = any(events)
      on conflict (id) do nothing)
    update webhook_endpoints w set cursor = t.feed
    from (select webhook_id, max(feed) as feed, count(*) as events from told group by 1) t
    where w.id = t.webhook_id
    returning case when t.events = ${most} then w.id end as id`)
  return rows.map(({ id }) => id).filter((id) => id !== null)
}

/** What comes due while an endpoint is DISABLED is skipped; it stays redeliverable. */
export const skipDueOfDisabled = (db: Queryable, webhooks: readonly string[]): Promise<number> =>
  db.run(sql`
    update webhook_delivery set status = 'skipped', due_at = null, finished_at = now()
    where id in (
      select d.id from webhook_endpoints w
      cross join lateral (
        select d.id from webhook_delivery d where d.webhook_id = w.id and d.due_at <= now()
        limit ${raw(String(limits.recordMaxDeliveries))}) d
      where w.id = any(${columnArray('uuid', webhooks)}) and w.status = 'DISABLED')`)

/** How much to hand out of what is due to one endpoint, what is in hand already included. */
export interface FetchLimit {
  id: string
  max: number
}

/** What is due, per endpoint in the order in which it must leave, bounded in number and bytes. */
export const dueDeliveries = (
  db: Queryable,
  fetchLimits: readonly FetchLimit[],
): Promise<DueDelivery[]> => {
  const [ids, most] = [fetchLimits.map((one) => one.id), fetchLimits.map((one) => one.max)]
  return db.rows<DueDelivery>(sql`
    select id, webhook_id, event_id, event_type, attempt_count, attempts_before, payload, waiting
    from (
      select d.*, e.payload,
        sum(octet_length(e.payload)) over line as bytes, row_number() over line as place,
        count(*) over (partition by d.webhook_id) as waiting
      from unnest(${columnArray('uuid', ids)}::uuid[], ${columnArray('integer', most)}::integer[])
        one (id, most)
      join webhook_endpoints w on w.id = one.id and w.status = 'ACTIVE'
      cross join lateral (
        select d.id, d.webhook_id, d.organization_id, d.event_id, d.event_type, d.feed, d.due_at,
          d.attempt_count, d.attempts_before, d.payload as own_payload
        from webhook_delivery d where d.webhook_id = w.id and d.due_at <= now()
        order by d.due_at, d.feed limit one.most) d
      left join lateral (
        select coalesce(d.own_payload, e.payload) as payload
        from (select) one left join events e
          on e.organization_id = d.organization_id and e.feed = d.feed) e on true
      window line as (partition by d.webhook_id order by d.due_at, d.feed, d.id)) due
    where place = 1 or bytes <= ${raw(String(limits.claimBytesPerEndpoint))}
    order by webhook_id, due_at, feed`)
}

/**
 * Takes the endpoints, once what was due of them has been read; a DISABLED one is let go at once.
 * What becomes due next is noted for whoever has them then.
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

/** The leases that are still held, with the endpoints as they are now. */
export const renewLeases = (db: Queryable, owner: string): Promise<LeasedEndpoint[]> =>
  db.rows<LeasedEndpoint>(sql`
    update webhook_endpoints w set lease_until = now() + ${leaseInterval}
    where w.lease_owner = ${owner} returning ${leasedColumns}`)

/** Lets go of everything; what was in hand unsent is due at once for whoever comes. */
export const releaseAllLeases = (db: Queryable, owner: string): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set lease_owner = null, lease_until = null, next_due_at = now()
    where lease_owner = ${owner}`)

type AttemptColumns = Rows['webhook_attempt']

/** What one attempt met, and what follows from it for its delivery. */
export interface AttemptOutcome extends AttemptColumns {
  webhook_id: string
  status: 'succeeded' | 'retrying' | 'failed'
  /** When it is tried again; null when it is over. */
  retry_ms: number | null
}

/**
 * Records attempts, each only as the successor of the one before: what another worker recorded in
 * the meantime stands, and a second record of the same attempt changes nothing.
 */
export const recordAttempts = async (
  db: Queryable,
  outcomes: readonly AttemptOutcome[],
): Promise<void> => {
  const column = <K extends keyof AttemptOutcome>(name: K) => outcomes.map((one) => one[name])
  await db.run(sql`
    with met as (
      select * from unnest(
        ${columnArray('uuid', column('delivery_id'))}::uuid[],
        ${columnArray('integer', column('number'))}::integer[],
        ${columnArray('timestamptz', column('at'))}::timestamptz[],
        ${columnArray('integer', column('response_status'))}::integer[],
        ${columnArray('integer', column('duration_ms'))}::integer[],
        ${columnArray('text', column('error'))}::text[],
        ${columnArray('text', column('response_body'))}::text[],
        ${columnArray('text', column('status'))}::text[],
        ${columnArray('bigint', column('retry_ms').map(toBigint))}::bigint[])
      m (delivery_id, number, at, response_status, duration_ms, error, response_body, status,
         retry_ms)),
    recorded as (
      update webhook_delivery d set status = m.status, attempt_count = m.number,
        last_response_status = m.response_status, last_error = m.error,
        due_at = now() + m.retry_ms * interval '1 millisecond',
        finished_at = case when m.retry_ms is null then now() end
      from met m
      where d.id = m.delivery_id and d.attempt_count = m.number - 1 and d.due_at is not null
      returning d.id)
    insert into webhook_attempt
      (delivery_id, number, at, response_status, duration_ms, error, response_body)
    select m.delivery_id, m.number, m.at, m.response_status, m.duration_ms, m.error,
      m.response_body
    from met m join recorded r on r.id = m.delivery_id`)
}

const toBigint = (value: number | null): bigint | null => (value === null ? null : BigInt(value))

/** What the attempts of one record mean for their endpoint. */
export interface HealthUpdate {
  webhook_id: string
  succeeded: boolean
  failed: boolean
  /** Terminal failures since the last success among them. */
  failures: number
  last_error: string | null
  retry_ms: number | null
  /** Nothing of it is in hand any more. */
  released: boolean
}

/** Locks the endpoints in the order of their ids, before their deliveries. */
export const lockEndpoints = (db: Queryable, webhooks: readonly string[]): Promise<number> =>
  db.run(sql`
    select id from webhook_endpoints where id = any(${columnArray('uuid', webhooks)})
    order by id for no key update`)

/** Counts towards the twenty, disables at exactly twenty; answers those that are disabled. */
export const applyHealthUpdates = async (
  db: Queryable,
  owner: string,
  updates: readonly HealthUpdate[],
): Promise<string[]> => {
  const column = <K extends keyof HealthUpdate>(name: K) => updates.map((one) => one[name])
  const most = raw(String(limits.webhookFailuresMax))
  const rows = await db.rows<{ id: string }>(sql`
    with met as (
      select m.*, least(${most}, m.failures
        + case when m.succeeded then 0 else w.consecutive_failures end) as consecutive
      from unnest(
        ${columnArray('uuid', column('webhook_id'))}::uuid[],
        ${columnArray('boolean', column('succeeded'))}::boolean[],
        ${columnArray('boolean', column('failed'))}::boolean[],
        ${columnArray('integer', column('failures'))}::integer[],
        ${columnArray('text', column('last_error'))}::text[],
        ${columnArray('bigint', column('retry_ms').map(toBigint))}::bigint[],
        ${columnArray('boolean', column('released'))}::boolean[])
      m (webhook_id, succeeded, failed, failures, last_error, retry_ms, released)
      join webhook_endpoints w on w.id = m.webhook_id)
    update webhook_endpoints w set
      last_success_at = case when m.succeeded then now() else w.last_success_at end,
      last_failure_at = case when m.failed then now() else w.last_failure_at end,
      consecutive_failures = m.consecutive,
      status = case when m.consecutive >= ${most} then 'DISABLED' else w.status end,
      disabled_reason = case when m.consecutive >= ${most} and w.status = 'ACTIVE'
        then ${most} || ' deliveries in a row failed for good. The last one: ' || m.last_error
        else w.disabled_reason end,
      next_due_at = least(w.next_due_at, now() + m.retry_ms * interval '1 millisecond'),
      lease_owner = case when m.released and w.lease_owner = ${owner} then null else w.lease_owner end,
      lease_until = case when m.released and w.lease_owner = ${owner} then null else w.lease_until end
    from met m where w.id = m.webhook_id
    returning case when w.status = 'DISABLED' then w.id end as id`)
  return rows.map(({ id }) => id).filter((id) => id !== null)
}
