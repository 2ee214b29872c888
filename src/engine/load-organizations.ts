/**
 * Checks that organizations and keys are the last ones of their rows, and not old ones with old
 * seals (store/identity/access-versions.ts).
 */
import { packedRow } from '../database/packed-rows.ts'
import { provenRow } from '../database/proven-rows.ts'
import { BrokenSeal, type RowSeals } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import {
  type PackedOrganization,
  checkKey,
  checkOrganization,
  joinCounters,
  packedOrganization,
} from '../store/identity/access-versions.ts'
import { checkApproval } from '../store/approvals/approval-versions.ts'
import { currentConnection } from '../store/identity/connections.ts'
import {
  type OnlyRowTable,
  checkOnlyRow,
  isCurrentConnection,
} from '../store/identity/row-versions.ts'
import type { WorkingSet } from './unit-of-work.ts'

/** With its counters, of the same snapshot, since the counters of a partner are not locked. */
export interface LoadedOrganization extends PackedOrganization {
  id: string
}

export const readOrganizations = (db: Connection, ids: SqlQuery): Promise<LoadedOrganization[]> =>
  db.rows(sql`
    select o.id, ${packedOrganization('o', 'h')}
    from organizations o ${joinCounters('o', 'h')}
    where o.id in (${ids})`)

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

/** After the organizations: that of a paying key is a party of the document, so it is locked. */
export const checkLoadedKeys = (set: WorkingSet): void =>
  checkOwned(set, 'keys', (key, organization) => checkKey(key, organization, set.now))

/** After the organizations: the one that asked writes, so its counters are locked. */
export const checkLoadedApprovals = (set: WorkingSet): void =>
  checkOwned(set, 'approvals', (row, organization) => checkApproval(row, organization, set.now))

/** Marks the rows that the check refuses, and those whose organization is not loaded. */
const checkOwned = <T extends 'keys' | 'approvals'>(
  set: WorkingSet,
  table: T,
  check: (row: Rows[T], organization: Rows['organizations']) => void,
): void => {
  for (const [id, row] of set.loaded[table] as Map<string, Rows[T]>) {
    const organization = set.loaded.organizations.get(row.organization_id)
    const error = organization && failureOf(() => check(row, organization))
    if (organization === undefined) set.broken.mark(table, id, {})
    else if (error !== undefined) set.broken.mark(table, id, { error })
  }
}

/**
 * Of tables with one row at most for each of these organizations; all of them have been loaded, and
 * their counters are locked.
 */
export const checkOnlyRows = (
  set: WorkingSet,
  table: OnlyRowTable,
  organizations: Iterable<string>,
): void => {
  for (const id of organizations) {
    const organization = set.loaded.organizations.get(id)
    if (organization === undefined) continue
    const error = failureOf(() => checkOnlyRow(table, set.loaded[table].get(id), organization))
    if (error !== undefined) set.broken.mark(table, id, { error })
  }
}

/**
 * Connections and their organizations come from two statements, between which a partner may have
 * ended another connection: one that does not agree is read again with both of them at once.
 */
export const checkConnections = async (set: WorkingSet, db: Connection): Promise<void> => {
  const { connections, organizations } = set.loaded
  for (const one of connections.values()) {
    const [a, b] = [organizations.get(one.a_id), organizations.get(one.b_id)]
    if (isCurrentConnection(one, a, b)) continue
    const again = await currentConnection(db, one.id)
    if (again instanceof BrokenSeal) set.broken.mark('connections', one.id, { error: again })
    else connections.set(one.id, again)
  }
}

const failureOf = (check: () => void): BrokenSeal | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof BrokenSeal) return error
    throw error
  }
}
