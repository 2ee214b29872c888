/**
 * Marks loaded rows as broken that are not the newest versions of themselves, but old ones with
 * their old seals (store/identity/access-versions.ts, store/identity/row-versions.ts).
 */
import { BrokenSeal } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import type { Connection } from '../database/sql.ts'
import { checkApproval } from '../store/approvals/approval-versions.ts'
import { checkKey } from '../store/identity/access-versions.ts'
import { currentConnection } from '../store/identity/connections.ts'
import {
  type OnlyRowTable,
  checkOnlyRow,
  isCurrentConnection,
} from '../store/identity/row-versions.ts'
import { failureOf } from './broken-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** Call it after the organizations: that of a paying key is a party, so its counters are locked. */
export const checkLoadedKeys = (set: WorkingSet): void =>
  checkOwned(set, 'keys', (key, organization) => checkKey(key, organization, set.now))

/** Call it after the organizations: the one that asked writes, so its counters are locked. */
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
 * For tables with at most one row of an organization. The rows of these organizations have been
 * loaded, and their counters are locked.
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
