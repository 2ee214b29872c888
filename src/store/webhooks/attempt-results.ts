/** What the workers record of attempts: their outcomes, and the health of the endpoints. */
import { limits } from '../../contract/limits.ts'
import { type Queryable, inlined, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { unnest } from '../../database/table-writes.ts'
import { dueAtOnce } from './delivery-queue.ts'

type AttemptColumns = Rows['webhook_attempt']

/** The outcome of one attempt, and the resulting state of its delivery. */
export interface AttemptOutcome extends AttemptColumns {
  webhook_id: string
  /** Those of earlier schedules, when this attempt was made. */
  attempts_before: number
  status: 'succeeded' | 'retrying' | 'failed'
  /** The delay of the next attempt; null if there is none. */
  retry_ms: number | null
}

/** Asked for while the attempt was under way, judged by the row as it is locked. */
const isRedelivered = raw(`o.status <> 'succeeded' and d.attempts_before > o.attempts_before`)

/**
 * Records each attempt only as the successor of the previous one: attempts that another worker has
 * recorded in the meantime remain, and recording the same attempt twice changes nothing. An attempt
 * of a number that exists changes nothing either: somebody has set the row of its delivery back. A
 * failure does not end a redelivery that was asked for meanwhile: its schedule begins after it.
 */
export const recordAttempts = async (
  db: Queryable,
  outcomes: readonly AttemptOutcome[],
): Promise<void> => {
  const table = unnest(outcomes, {
    delivery_id: 'uuid',
    webhook_id: 'uuid',
    attempts_before: 'integer',
    number: 'integer',
    at: 'timestamptz',
    response_status: 'integer',
    duration_ms: 'integer',
    error: 'text',
    response_body: 'text',
    response_headers: 'text',
    timings: 'text',
    signatures: 'text',
    status: 'text',
    retry_ms: 'bigint',
  })
  await db.run(sql`
    with outcomes as (select * from ${table}),
    recorded as (
      update webhook_delivery d set attempt_count = o.number,
        status = case when ${isRedelivered} then d.status else o.status end,
        attempts_before = case when ${isRedelivered} then o.number else d.attempts_before end,
        last_response_status = o.response_status, last_error = o.error,
        due_at = case when ${isRedelivered} then d.due_at
          else now() + o.retry_ms * interval '1 millisecond' end,
        finished_at = case when o.retry_ms is null and not (${isRedelivered})
          then greatest(o.at, now()) end
      from outcomes o
      where d.id = o.delivery_id and d.attempt_count = o.number - 1 and d.due_at is not null
      returning d.id, o.webhook_id, d.attempts_before = o.number as is_redelivered, d.is_erased),
    redelivered as (
      update webhook_endpoints set next_due_at = ${dueAtOnce}
      where id in (select webhook_id from recorded where is_redelivered))
    insert into webhook_attempt
      (delivery_id, number, at, response_status, duration_ms, error, response_body,
        response_headers, timings, signatures)
    select o.delivery_id, o.number, o.at, o.response_status, o.duration_ms, o.error,
      case when not r.is_erased then o.response_body end,
      case when not r.is_erased then o.response_headers end, o.timings, o.signatures
    from outcomes o join recorded r on r.id = o.delivery_id
    on conflict do nothing`)
}

/** Deliveries whose attempts cannot be recorded are not sent again at once. */
export const postponeDelivery = (db: Queryable, delivery: string): Promise<number> =>
  db.run(sql`
    update webhook_delivery set due_at = now() + interval '1 hour'
    where id = ${delivery} and due_at is not null`)

/** The effect of recorded attempts on the health of their endpoint. */
export interface HealthUpdate {
  webhook_id: string
  succeeded: boolean
  failed: boolean
  /** Terminal failures since the last success among these attempts. */
  failures: number
  last_error: string | null
  /** The time of the latest of these attempts; null without any. */
  at: string | null
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
    at: 'timestamptz',
    retry_ms: 'bigint',
    released: 'boolean',
  })
  const max = inlined(limits.webhookFailuresMax)
  const rows = await db.rows<{ id: string }>(sql`
    with updates as (
      select u.*, least(${max}, u.failures
        + case when u.succeeded then 0 else w.consecutive_failures end) as consecutive
      from ${table} join webhook_endpoints w on w.id = u.webhook_id)
    update webhook_endpoints w set
      last_success_at = case when u.succeeded then greatest(w.last_success_at, u.at, now())
        else w.last_success_at end,
      last_failure_at = case when u.failed then greatest(w.last_failure_at, u.at, now())
        else w.last_failure_at end,
      consecutive_failures = u.consecutive,
      status = case when u.consecutive >= ${max} then 'DISABLED' else w.status end,
      disabled_reason = case when u.consecutive >= ${max} and w.status = 'ACTIVE'
        then ${max} || ' deliveries in a row failed for good. The last one: ' || u.last_error
        else w.disabled_reason end,
      next_due_at = least(w.next_due_at, case when u.retry_ms = 0 then ${dueAtOnce}
        else now() + u.retry_ms * interval '1 millisecond' end),
      lease_owner = case when u.released and w.lease_owner = ${owner} then null else w.lease_owner end,
      lease_until = case when u.released and w.lease_owner = ${owner} then null else w.lease_until end
    from updates u where w.id = u.webhook_id
    returning case when w.status = 'DISABLED' then w.id end as id`)
  return rows.map(({ id }) => id).filter((id) => id !== null)
}
