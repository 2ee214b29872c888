/**
 * Loads the approvals that writes may have asked for, and the rules that ask for them. Approvals
 * are locked between accounts and organization_counters; whoever decides on one locks nothing after
 * it but the counters and the audit trail. A batch whose writes need none sends none of these
 * statements.
 */
import { columnArray } from '../database/binary-arrays.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, sql } from '../database/sql.ts'
import { selectList } from '../database/table-writes.ts'
import { awaitAll } from './await-all.ts'
import { checkLoadedApprovals, checkOnlyRows } from './current-rows.ts'
import type { WorkingSet } from './working-set.ts'

interface ApprovalRowsToLock {
  requestKeys: readonly string[]
  /** Whose rules are read. */
  organizations: readonly string[]
}

/** Sends the locking statement. Call what it returns after all locking statements are sent. */
export const lockApprovals = (
  db: Connection,
  { requestKeys, organizations }: ApprovalRowsToLock,
) => {
  if (requestKeys.length === 0) return undefined
  const keys = columnArray('uuid', requestKeys)
  const locks = db.rows(sql`
    select id from approvals where request_key = any(${keys}) order by id for no key update`)
  return async () => {
    const approvals = db.rows<Rows['approvals']>(sql`
      select ${selectList('approvals', 'a')} from approvals a where request_key = any(${keys})`)
    const rules = organizations.length === 0 ? [] : rulesOf(db, organizations)
    await awaitAll([locks, approvals, rules])
    const [approvalRows, ruleSets] = [await approvals, await rules]
    return (set: WorkingSet): void => {
      set.addLoaded('approvals', approvalRows)
      set.addLoaded('approval_rule_sets', ruleSets)
      checkLoadedApprovals(set)
      checkOnlyRows(set, 'approval_rule_sets', organizations)
    }
  }
}

const rulesOf = (
  db: Connection,
  organizations: readonly string[],
): Promise<Rows['approval_rule_sets'][]> =>
  db.rows(sql`
    select ${selectList('approval_rule_sets', 's')} from approval_rule_sets s
    where organization_id = any(${columnArray('uuid', organizations)})`)
