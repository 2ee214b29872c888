/**
 * Checks that organizations and keys are the last ones of their rows, and not old ones with old
 * seals (store/identity/access-versions.ts).
 */
import { packedRow, unpackRow } from '../database/packed-rows.ts'
import { BrokenSeal, type RowSeals } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, type SqlQuery, sql } from '../database/sql.ts'
import { selectList } from '../database/table-writes.ts'
import { checkKey, checkOrganization, joinCounters } from '../store/identity/access-versions.ts'
import type { WorkingSet } from './unit-of-work.ts'

/** With its counters, of the same snapshot, since the counters of a partner are not locked. */
export type OrganizationWithCounters = Rows['organizations'] & { counters: string }

export const readOrganizations = (
  db: Connection,
  ids: SqlQuery,
): Promise<OrganizationWithCounters[]> =>
  db.rows(sql`
    select ${selectList('organizations', 'o')}, ${packedRow('organization_counters', 'h')} as counters
    from organizations o ${joinCounters('o', 'h')}
    where o.id in (${ids})`)

/** After the locked counters. */
export const addOrganizations = (
  set: WorkingSet,
  seals: RowSeals,
  rows: readonly OrganizationWithCounters[],
): void => {
  for (const { counters, ...organization } of rows) {
    set.addLoaded('organizations', [organization])
    const locked = set.loaded.organization_counters.get(organization.id)
    const error = failureOf(() =>
      checkOrganization(
        organization,
        locked ?? unpackRow(seals, 'organization_counters', counters),
      ),
    )
    if (error !== undefined) set.markBroken('organizations', organization.id, error)
  }
}

/** After the organizations: that of a paying key is a party of the document, so it is locked. */
export const checkLoadedKeys = (set: WorkingSet): void => {
  for (const key of set.loaded.keys.values()) {
    const organization = set.loaded.organizations.get(key.organization_id)
    if (organization === undefined) {
      set.markBroken('keys', key.id)
      continue
    }
    const error = failureOf(() => checkKey(key, organization, set.now))
    if (error !== undefined) set.markBroken('keys', key.id, error)
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
