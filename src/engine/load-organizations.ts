/** Loads organizations and connections, each with what proves that it is its newest version. */
import { packedRow } from '../database/packed-rows.ts'
import { provenRow } from '../database/proven-rows.ts'
import type { RowSeals } from '../database/row-seals.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import {
  type PackedOrganization,
  checkOrganization,
  packedOrganization,
} from '../store/identity/access-versions.ts'
import { failureOf } from './broken-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** With its counters, of the same snapshot, since the counters of a partner are not locked. */
export interface LoadedOrganization extends PackedOrganization {
  id: string
}

/** `offset 0`: the counters are looked up by organization, whatever the tables were like. */
export const readOrganizations = (db: Connection, ids: SqlQuery): Promise<LoadedOrganization[]> =>
  db.rows(sql`
    select o.id, ${packedOrganization('o', 'h')}
    from organizations o cross join lateral (
      select * from organization_counters where organization_id = o.id offset 0) h
    where o.id = any(array(${ids}))`)

/** After the locked counters. */
export const addOrganizations = (
  set: WorkingSet,
  seals: RowSeals,
  rows: readonly LoadedOrganization[],
): void => {
  const { organizations, organization_counters: locked } = set.loaded
  for (const { id, organization, counters } of rows) {
    const error = failureOf(() => {
      const row = provenRow(seals, 'organizations', organization)
      organizations.set(id, row)
      checkOrganization(row, locked.get(id) ?? provenRow(seals, 'organization_counters', counters))
    })
    if (error !== undefined) set.broken.mark('organizations', id, { error })
  }
}

interface LoadedConnection {
  id: string
  connection: string
}

/** The connections that meet the condition, packed. */
export const readConnections = (db: Connection, condition: SqlQuery): Promise<LoadedConnection[]> =>
  db.rows(sql`
    select c.id, ${packedRow('connections', 'c')} as connection
    from connections c where ${condition}`)

export const addConnections = (
  set: WorkingSet,
  seals: RowSeals,
  rows: readonly LoadedConnection[],
): void => {
  for (const { id, connection } of rows) {
    const error = failureOf(() => {
      set.loaded.connections.set(id, provenRow(seals, 'connections', connection))
    })
    if (error !== undefined) set.broken.mark('connections', id, { error })
  }
}
