/** Webhook endpoints: their settings, and their secrets in encrypted form. */
import { databaseNow } from '../../database/database-clock.ts'
import { changeSealedRows, sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { deleteRow, insertRows } from '../../database/table-writes.ts'
import type { Rows } from '../../database/rows.ts'
import { addToRowCounts, checkRowCount } from '../identity/row-counts.ts'
import {
  countEndpointChange,
  currentEndpoints,
  settledVersionOf,
  lockOrganizations,
} from '../identity/row-versions.ts'

export type EndpointRow = Rows['webhook_endpoints']

/** Throws BrokenSeal for an old row. */
export const endpointById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<(EndpointRow & { now: string }) | undefined> => {
  const [[endpoint], now] = await Promise.all([
    currentEndpoints(db, organization, sql`and t.id = ${id}`),
    databaseNow(db),
  ])
  return endpoint && { ...endpoint, now }
}

/** Locks its organization as well, and the others of it: a change seals all of them anew. */
export const endpointForUpdate = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<(EndpointRow & { now: string }) | undefined> => {
  await lockOrganizations(db, [organization])
  await db.rows(sql`
    select id from webhook_endpoints where organization_id = ${organization}
    order by id for no key update`)
  // A later statement than the locks, so it sees what the previous holders committed.
  return endpointById(db, organization, id)
}

export const endpointsOf = async (
  db: Queryable,
  organization: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<(EndpointRow & { now: string })[]> => {
  const position = before === undefined ? sql`` : sql`and t.id < ${before}`
  const rest = sql`${position} order by t.id desc limit ${limit}`
  const [endpoints, now] = await Promise.all([
    currentEndpoints(db, organization, rest),
    databaseNow(db),
    checkRowCount(db, 'webhook_endpoints', organization),
  ])
  return endpoints.map((endpoint) => ({ ...endpoint, now }))
}

export type NewEndpointRow = Pick<
  EndpointRow,
  'id' | 'organization_id' | 'mode' | 'url' | 'events' | 'description' | 'secret_sealed'
> & { created_at: string }

/**
 * Locks the organization. The cursor starts at the current feed position, so only later events are
 * delivered.
 */
export const insertEndpoint = async (db: Queryable, endpoint: NewEndpointRow): Promise<void> => {
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
    version: await settledVersionOf(db, 'webhook_endpoints', endpoint.organization_id),
  }
  await insertRows(db, 'webhook_endpoints', [row])
  await addToRowCounts(db, endpoint.organization_id, { webhook_endpoints: 1 })
}

export type EndpointSettings = Pick<
  EndpointRow,
  'id' | 'url' | 'events' | 'description' | 'status' | 'disabled_reason' | 'consecutive_failures'
>

export const updateEndpoint = async (
  tx: Queryable,
  organization: string,
  { id, ...settings }: EndpointSettings,
): Promise<void> => {
  await changeSealedRows(tx, 'webhook_endpoints', sql`t.id = ${id}`, () => settings)
  await countEndpointChange(tx, organization)
}

/** The current secret becomes the previous one, which keeps signing until `validUntil`. */
export const rotateEndpointSecret = async (
  tx: Queryable,
  { id, organization_id }: Pick<EndpointRow, 'id' | 'organization_id'>,
  { sealed, validUntil }: { sealed: Buffer; validUntil: string },
): Promise<void> => {
  await changeSealedRows(tx, 'webhook_endpoints', sql`t.id = ${id}`, ({ secret_sealed }) => ({
    previous_secret_sealed: secret_sealed,
    previous_secret_valid_until: validUntil,
    secret_sealed: sealed,
  }))
  await countEndpointChange(tx, organization_id)
}

export const deleteEndpoint = async (
  tx: Queryable,
  { id, organization_id }: Pick<EndpointRow, 'id' | 'organization_id'>,
): Promise<void> => {
  await deleteRow(tx, 'webhook_endpoints', sql`id = ${id}`)
  await countEndpointChange(tx, organization_id)
  await addToRowCounts(tx, organization_id, { webhook_endpoints: -1 })
}
