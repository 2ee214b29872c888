/** Which payments of a new key a person has to approve. */
import type { Problem } from '../contract/problem.ts'
import type { KeyCreate } from '../contract/shapes/keys.ts'
import type { ApprovalSetting } from '../changes/identity/keys.ts'
import { thresholdsText } from '../core/approvals/thresholds.ts'
import { moneyBounds, parseMinor } from '../core/money.ts'

export const parseApprovalSetting = (body: KeyCreate, problems: Problem[]): ApprovalSetting => {
  const { requires_approval = false, requires_approval_above: above = null } = body
  const problem = (param: string, code: Problem['code'], message: string, fix: string): void => {
    problems.push({ param, code, message, fix })
  }
  const asked = above === null ? '/requires_approval' : '/requires_approval_above'
  if ((requires_approval || above !== null) && !body.scopes.includes('payments:write')) {
    const message = 'Only a key with payments:write needs approvals.'
    problem(asked, 'invalid_value', message, 'add payments:write to scopes, or leave it out')
  }
  if (requires_approval && above !== null) {
    const message = 'With requires_approval, everything that pays is approved, whatever the amount.'
    problem(asked, 'invalid_value', message, 'send one of the two')
  }
  const thresholds = Object.entries(above ?? {}).map(([currency, value]) => {
    const minor = parseMinor(value)
    const isAmount =
      minor !== undefined && minor >= 0n && minor <= moneyBounds.documentTotalMaxMinor
    if (!isAmount) {
      const code = minor === undefined && value > 0 ? 'too_precise' : 'out_of_range'
      const message = 'Must be an amount of 0 or more with at most 2 decimals.'
      problem(`${asked}/${currency}`, code, message, 'send an amount like 500.00')
    }
    return [currency, minor ?? 0n] as const
  })
  const stored = above === null ? null : thresholdsText(new Map(thresholds))
  return { requires_approval, requires_approval_above: stored }
}
