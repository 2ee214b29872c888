/**
 * The delivery queue as the workers use it. One worker at a time leases an endpoint; this keeps
 * first attempts in commit order and limits those in flight without a write per delivery. The lease
 * only saves work: unrecorded attempts are sent again by another worker. Every statement that
 * relies on a lock comes after the one that took it.
 */
import { limits } from '../../contract/limits.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { BrokenSeal, orBrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { selectList } from '../../database/table-writes.ts'
import {
  type PackedOrganization,
  joinCounters,
  packedOrganization,
  unpackOrganization,
} from '../identity/access-versions.ts'
import { hasRowVersion } from '../identity/row-versions.ts'
import { isPrimary } from '../server-keys.ts'

export type LeasedEndpoint = Rows['webhook_endpoints'] & {
  now: string
  /** Nothing is sent otherwise. */
  isAsSealed: boolean
}

const leasedColumns = sql`${selectList('webhook_endpoints', 'w')},
  pg_catalog.clock_timestamp() as now`

const leasedEndpoints = async (db: Queryable, update: SqlQuery): Promise<LeasedEndpoint[]> => {
  const rows = await db.rows<Omit<LeasedEndpoint, 'isAsSealed'>>(update)
  if (rows.length === 0) return []
  const owners = await ownersOf(db, [...new Set(rows.map((row) => row.organization_id))])
  const isCurrent = (row: Rows['webhook_endpoints']) => {
    const owner = owners.get(row.organization_id)
    return owner !== undefined && hasRowVersion('webhook_endpoints', row, owner)
  }
  return rows.map((row) => ({
    ...row,
    isAsSealed: db.seals.holds('webhook_endpoints', row) && isCurrent(row),
  }))
}

/**
 * Read it later than the locks of the endpoints, in the same transaction: whoever changes one of
 * them waits for those.
 */
const ownersOf = async (
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Rows['organizations']>> => {
  const rows = await db.rows<PackedOrganization>(sql`
    select ${packedOrganization('o', 'h')} from organizations o ${joinCounters('o', 'h')}
    where o.id = any(${columnArray('uuid', ids)})`)
  const owners = rows.map((row) => orBrokenSeal(() => unpackOrganization(db.seals, row)))
  return new Map(
    owners.flatMap((owner) => (owner instanceof BrokenSeal ? [] : [[owner.id, owner] as const])),
  )
}
const leaseInterval = raw(`interval '${limits.workerLeaseMs} milliseconds'`)
/** Also true of a lease that ends later than any worker can ask for: the clock has jumped back. */
const isLeaseOver = raw(`w.lease_until not between
  now() and now() + 2 * interval '${limits.workerLeaseMs} milliseconds'`)
/** Due for any worker, wherever the clock jumps. */
export const dueAtOnce = raw("timestamptz 'epoch'")

/** Locks the endpoints to which the condition applies, by id, before any of them changes. */
const lockedById = (condition: SqlQuery): SqlQuery =>
  sql`id in (select id from webhook_endpoints where ${condition} order by id for no key update)`

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

/**
 * Has the deliveries of these organizations read again before they are sent: a worker sends nothing
 * that it has read under a lease that it has lost. It locks the endpoints, as a worker does before
 * it creates deliveries or records attempts: whoever looks for deliveries later sees all of them.
 */
export const takeBackDeliveries = (
  db: Queryable,
  organizations: readonly string[],
): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set lease_owner = null, lease_until = null, next_due_at = ${dueAtOnce}
    where ${lockedById(sql`organization_id = any(${columnArray('uuid', organizations)})`)}`)

export interface ClaimRequest {
  owner: string
  /** The worker's own endpoints whose queues are full. */
  full: readonly string[]
  /** Where the last poll ended: endpoints take turns, so busy ones do not starve others. */
  after: string
}

interface ClaimedEndpoint {
  id: string
  /** Leased by this worker before. */
  is_own: boolean
}

/**
 * Locks endpoints that no other worker holds and that have work: events to fan out, due attempts,
 * or an expired lease. Includes the worker's own endpoints, except the full ones.
 */
export const claimEndpoints = async (
  db: Queryable,
  { owner, full, after }: ClaimRequest,
): Promise<ClaimedEndpoint[]> => {
  const claim = (range: SqlQuery, limit: number) =>
    db.rows<ClaimedEndpoint>(sql`
      select w.id, coalesce(w.lease_owner = ${owner}, false) as is_own from webhook_endpoints w
      join organization_counters h on h.organization_id = w.organization_id
      where (w.lease_until is null or ${isLeaseOver} or w.lease_owner = ${owner})
        and (h.feed > w.cursor or w.next_due_at <= now() or ${isLeaseOver})
        and w.id <> all(${columnArray('uuid', full)}) and ${range}
      order by w.id limit ${inlined(limit)}
      for no key update of w skip locked`)
  const later = await claim(sql`w.id > ${after}`, limits.claimEndpointsMax)
  const remaining = limits.claimEndpointsMax - later.length
  const earlier = remaining === 0 ? [] : await claim(sql`w.id <= ${after}`, remaining)
  return [...later, ...earlier]
}

/**
 * Creates the deliveries of newly committed events and advances the cursor. Returns the endpoints
 * for which there may be more events. For a DISABLED endpoint, deliveries are created as skipped.
 * A delivery has the time of its event, and those never run backwards in commit order, not even
 * when the clock does: deliveries are listed and first attempted in that order.
 */
export const fanOut = async (db: Queryable, webhooks: readonly string[]): Promise<string[]> => {
  const max = inlined(limits.fanOutEventsPerEndpoint)
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
        case when is_active then created_at end, created_at,
        case when not is_active then greatest(created_at, now()) end
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
        limit ${inlined(limits.recordMaxDeliveries)}) d
      where w.id = any(${columnArray('uuid', webhooks)}) and w.status = 'DISABLED')`)

/**
 * Leases the endpoints after their due deliveries have been read, and releases DISABLED ones. Sets
 * next_due_at to the next attempt that is not due yet.
 */
export const leaseEndpoints = (
  db: Queryable,
  owner: string,
  webhooks: readonly string[],
): Promise<LeasedEndpoint[]> =>
  leasedEndpoints(
    db,
    sql`
    update webhook_endpoints w set
      lease_owner = case when w.status = 'ACTIVE' then ${owner}::uuid end,
      lease_until = case when w.status = 'ACTIVE' then now() + ${leaseInterval} end,
      next_due_at = (select min(d.due_at) from webhook_delivery d
        where d.webhook_id = w.id and (d.due_at > now() or w.status = 'DISABLED' and d.due_at <= now()))
    where w.id = any(${columnArray('uuid', webhooks)})
    returning ${leasedColumns}`,
  )

/** Renews the leases that are still held, and returns their endpoints as they are now. */
export const renewLeases = (tx: Queryable, owner: string): Promise<LeasedEndpoint[]> =>
  leasedEndpoints(
    tx,
    sql`
    update webhook_endpoints w set lease_until = now() + ${leaseInterval}
    where ${lockedById(sql`lease_owner = ${owner}`)} returning ${leasedColumns}`,
  )

/**
 * The versions of those of the endpoints that the worker leases. It fails on a standby, which may
 * not know of the last change yet.
 */
export const leasedVersions = async (
  db: Queryable,
  owner: string,
  webhooks: readonly string[],
): Promise<ReadonlyMap<string, bigint | null>> => {
  const rows = await db.rows<Pick<LeasedEndpoint, 'id' | 'version'>>(sql`
    select id, version from webhook_endpoints
    where id = any(${columnArray('uuid', webhooks)}) and lease_owner = ${owner}
      and ${isPrimary}`)
  return new Map(rows.map(({ id, version }) => [id, version]))
}

/** Releases all leases. Deliveries that were not sent are due at once for any worker. */
export const releaseAllLeases = (db: Queryable, owner: string): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set lease_owner = null, lease_until = null, next_due_at = ${dueAtOnce}
    where ${lockedById(sql`lease_owner = ${owner}`)}`)
