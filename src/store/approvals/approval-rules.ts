/** The approval rules of organizations, one row each. */
import type { ApprovalRule, ApprovalRuleSet } from '../../core/approvals/approval-rules.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'
import { countRowChange, currentOnlyRow, lockOrganizations } from '../identity/row-versions.ts'

/** Throws BrokenSeal for an old row, or if it is gone. */
export const ruleSetOf = (
  db: Queryable,
  organization: string,
): Promise<ApprovalRuleSet | undefined> => currentOnlyRow(db, 'approval_rule_sets', organization)

/** Locks the organization, since the row may not exist yet. */
export const ruleSetForUpdate = async (
  tx: Queryable,
  organization: string,
): Promise<ApprovalRuleSet | undefined> => {
  await lockOrganizations(tx, [organization])
  // A later statement than the lock, so it sees what the previous holder committed.
  return ruleSetOf(tx, organization)
}

export const saveRules = async (
  tx: Queryable,
  before: ApprovalRuleSet | undefined,
  change: { organization: string; rules: readonly ApprovalRule[]; at: string },
): Promise<number> => {
  const { organization: organization_id, at: updated_at } = change
  const version = await countRowChange(tx, 'approval_rule_sets', organization_id)
  const row = { organization_id, rules: JSON.stringify(change.rules), updated_at, version }
  return before === undefined
    ? insertRows(tx, 'approval_rule_sets', [row])
    : updateRows(tx, 'approval_rule_sets', {
        key: ['organization_id'],
        set: ['rules', 'updated_at', 'version'],
        rows: [{ ...before, ...row }],
      })
}
