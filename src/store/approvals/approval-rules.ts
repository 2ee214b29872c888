/** The approval rules of organizations, one row each. */
import type { ApprovalRule, ApprovalRuleSet } from '../../core/approvals/approval-rules.ts'
import { sealedRow } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'
import { checkOnlyRow, countRowChange, lockOrganizations } from '../identity/row-versions.ts'

export const ruleSetOf = (
  db: Queryable,
  organization: string,
): Promise<ApprovalRuleSet | undefined> =>
  sealedRow(db, 'approval_rule_sets', sql`where t.organization_id = ${organization}`)

/** Locks the organization, since the row may not exist yet. */
export const ruleSetForUpdate = async (
  tx: Queryable,
  organization: string,
): Promise<ApprovalRuleSet | undefined> => {
  const locked = await lockOrganizations(tx, [organization])
  // A later statement than the lock, so it sees what the previous holder committed.
  const set = await ruleSetOf(tx, organization)
  checkOnlyRow('approval_rule_sets', set, locked.get(organization)!)
  return set
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
    : updateRows(
        tx,
        'approval_rule_sets',
        ['organization_id'],
        ['rules', 'updated_at', 'version'],
        [{ ...before, ...row }],
      )
}
