/** Webhook endpoints: their settings, and their secrets in encrypted form. */
import { databaseNow } from '../../database/database-clock.ts'
import { changeSealedRows, sealedRow, sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'

export type EndpointRow = Rows['webhook_endpoints']

export const endpointById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<(EndpointRow & { now: string }) | undefined> => {
  const rest = sql`where id = ${id} and organization_id = ${organization}`
  const [endpoint, now] = await Promise.all([
    sealedRow(db, 'webhook_endpoints', rest),
    databaseNow(db),
  ])
  return endpoint && { ...endpoint, now }
}

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

export const endpointsOf = async (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<(EndpointRow & { now: string })[]> => {
  const position = before === undefined ? sql`` : sql`and id < ${before}`
  const rest = sql`
    where organization_id = ${organization} ${position} order by id desc limit ${limit}`
  const [endpoints, now] = await Promise.all([
    sealedRows(db, 'webhook_endpoints', rest),
    databaseNow(db),
  ])
  return endpoints.map((endpoint) => ({ ...endpoint, now }))
}

export type NewEndpointRow = Pick<
  EndpointRow,
  'id' | 'organization_id' | 'mode' | 'url' | 'events' | 'description' | 'secret_sealed'
> & { created_at: string }

/** The cursor starts at the current feed position, so only later events are delivered. */
export const insertEndpoint = async (db: Queryable, endpoint: NewEndpointRow): Promise<number> => {
  const counters = await sealedRow(
    db,
    'organization_counters',
    sql`where organization_id = ${endpoint.organization_id}`,
  )
  const row: EndpointRow = {
    ...endpoint,
    status: 'ACTIVE',
    disabled_reason: null,
    consecutive_failures: 0,
    last_success_at: null,
    last_failure_at: null,
    previous_secret_sealed: null,
    previous_secret_valid_until: null,
    cursor: counters!.feed,
    next_due_at: null,
    lease_owner: null,
    lease_until: null,
  }
  return insertRows(db, 'webhook_endpoints', [row])
}

export type EndpointSettings = Pick<
  EndpointRow,
  'id' | 'url' | 'events' | 'description' | 'status' | 'disabled_reason' | 'consecutive_failures'
>

export const updateEndpoint = (
  db: Queryable,
  { id, ...settings }: EndpointSettings,
): Promise<EndpointRow[]> =>
  changeSealedRows(db, 'webhook_endpoints', sql`t.id = ${id}`, () => settings)

/** The current secret becomes the previous one, which keeps signing until `previousValidUntil`. */
export const rotateEndpointSecret = (
  db: Queryable,
  id: string,
  sealed: Buffer,
  previousValidUntil: string,
): Promise<EndpointRow[]> =>
  changeSealedRows(db, 'webhook_endpoints', sql`t.id = ${id}`, ({ secret_sealed: previous }) => ({
    previous_secret_sealed: previous,
    previous_secret_valid_until: previousValidUntil,
    secret_sealed: sealed,
  }))

export const deleteEndpoint = (db: Queryable, id: string): Promise<number> =>
  db.run(sql`delete from webhook_endpoints where id = ${id}`)
