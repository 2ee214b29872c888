/** Webhook endpoints: their settings, and their secrets in encrypted form. */
import { type Queryable, sql } from '../../database/sql.ts'
import type { Rows } from '../../database/rows.ts'

export type EndpointRow = Rows['webhook_endpoints']

export const endpointById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<(EndpointRow & { now: string }) | undefined> =>
  db.row(sql`
    select w.*, clock_timestamp() as now from webhook_endpoints w
    where id = ${id} and organization_id = ${organization}`)

export const endpointForUpdate = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<(EndpointRow & { now: string }) | undefined> => {
  await db.rows(sql`
    select id from webhook_endpoints
    where id = ${id} and organization_id = ${organization} for no key update`)
  // A later statement than the lock, so it sees what the previous holder committed.
  return endpointById(db, organization, id)
}

export const endpointsOf = (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<(EndpointRow & { now: string })[]> =>
  db.rows(sql`
    select w.*, clock_timestamp() as now from webhook_endpoints w
    where organization_id = ${organization} ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`)

/** Counts endpoints, and locks out concurrent registrations until this transaction ends. */
export const countEndpointsForUpdate = async (
  db: Queryable,
  organization: string,
): Promise<number> => {
  await db.rows(sql`select id from organizations where id = ${organization} for no key update`)
  const counted = await db.row<{ count: bigint }>(sql`
    select count(*) as count from webhook_endpoints where organization_id = ${organization}`)
  return Number(counted!.count)
}

export type NewEndpointRow = Pick<
  EndpointRow,
  'id' | 'organization_id' | 'mode' | 'url' | 'events' | 'description' | 'secret_sealed'
> & { created_at: string }

/** The cursor starts at the current feed position, so only later events are delivered. */
export const insertEndpoint = (db: Queryable, endpoint: NewEndpointRow): Promise<number> =>
  db.run(sql`
    insert into webhook_endpoints
      (id, organization_id, mode, url, events, description, secret_sealed, created_at, cursor)
    select ${endpoint.id}, ${endpoint.organization_id}, ${endpoint.mode}, ${endpoint.url},
      ${endpoint.events}::text[], ${endpoint.description}, ${endpoint.secret_sealed},
      ${endpoint.created_at}, h.feed
    from organization_counters h where h.organization_id = ${endpoint.organization_id}`)

export type EndpointSettings = Pick<
  EndpointRow,
  'id' | 'url' | 'events' | 'description' | 'status' | 'disabled_reason' | 'consecutive_failures'
>

export const updateEndpoint = (db: Queryable, endpoint: EndpointSettings): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set url = ${endpoint.url}, events = ${endpoint.events}::text[],
      description = ${endpoint.description}, status = ${endpoint.status},
      disabled_reason = ${endpoint.disabled_reason},
      consecutive_failures = ${endpoint.consecutive_failures}
    where id = ${endpoint.id}`)

/** The current secret becomes the previous one, which keeps signing until `previousValidUntil`. */
export const rotateEndpointSecret = (
  db: Queryable,
  id: string,
  sealed: Buffer,
  previousValidUntil: string,
): Promise<number> =>
  db.run(sql`
    update webhook_endpoints set previous_secret_sealed = secret_sealed,
      previous_secret_valid_until = ${previousValidUntil}, secret_sealed = ${sealed}
    where id = ${id}`)

export const deleteEndpoint = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from webhook_endpoints where id = ${id}`)
