/** The writes that may need an approval, as their decisions know them (contract 12). */
import type { ApprovableOperation } from '../../contract/approvals.ts'
import type { Call } from '../../context.ts'
import type { ApprovableWrite } from '../../changes/change-context.ts'
import {
  type ApproverRoles,
  approversOf,
  requestKeyOf,
} from '../../core/approvals/approval-decisions.ts'
import type { RowsToLock } from '../../engine/rows-to-lock.ts'
import { approvalOfRequest, approvalsAskedToday } from '../../store/approvals/approvals.ts'
import { rolesOf } from '../../store/identity/members.ts'

/** A key that asks nobody is bound by its limits; a session, by the rules. */
const mayNeedApproval = ({ credential }: Call): boolean =>
  credential.kind === 'session' || credential.requiresApproval

export const approvableWrite = async (
  call: Call,
  operation: ApprovableOperation,
  path: string,
  body: unknown,
): Promise<ApprovableWrite> => {
  const { context, organization, idempotencyKey } = call
  const requestKey = requestKeyOf(organization.id, idempotencyKey!)
  const [askedToday, approverRoles] = mayNeedApproval(call)
    ? await Promise.all([
        approvalsAskedToday(call.read, organization.id),
        approverRolesOf(call, requestKey),
      ])
    : [0, new Map()]
  return {
    operation,
    path,
    body,
    requestKey,
    askedToday,
    approverRoles,
    baseUrl: context.config.baseUrl,
  }
}

const approverRolesOf = async (
  { read, organization }: Call,
  requestKey: string,
): Promise<ApproverRoles> => {
  const row = await approvalOfRequest(read, organization.id, requestKey)
  return rolesOf(read, organization.id, row === undefined ? [] : approversOf(row))
}

/** The rows that decide whether the write needs an approval, and whether it has one. */
export const approvalNeeds = (
  call: Call,
  { requestKey }: ApprovableWrite,
): Pick<RowsToLock, 'approvals' | 'approvalRules' | 'payingKeys'> => ({
  approvals: [requestKey],
  approvalRules: mayNeedApproval(call) ? [call.organization.id] : [],
  payingKeys: call.credential.kind === 'key' ? [call.credential.id] : [],
})
