/** Which payments of a new key a person has to approve. */
import type { Problem } from '../../contract/problem.ts'
import type { KeyCreate } from '../../contract/shapes/keys.ts'
import type { ApprovalSetting } from '../../changes/identity/keys.ts'
import { parseThreshold, thresholdsText } from '../../core/approvals/thresholds.ts'

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
  const thresholds = Object.entries(above ?? {}).map(
    ([currency, value]) =>
      [currency, parseThreshold(value, `${asked}/${currency}`, problems)] as const,
  )
  const stored = above === null ? null : thresholdsText(new Map(thresholds))
  return { requires_approval, requires_approval_above: stored }
}
