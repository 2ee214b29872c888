/** The writes that may need an approval, as their decisions know them (contract 12). */
import type { ApprovableOperation } from '../../contract/approvals.ts'
import type { Call } from '../../context.ts'
import type { ApprovableWrite } from '../../changes/change-context.ts'
import { requestKeyOf } from '../../core/approvals/approval-decisions.ts'
import type { RowsToLock } from '../../engine/write-request.ts'
import { approvalsAskedToday } from '../../store/approvals/approvals.ts'

/** A key that asks nobody is bound by its limits; a session, by the rules. */
const mayNeedApproval = ({ credential }: Call): boolean =>
  credential.kind === 'session' || credential.requiresApproval

export const approvableWrite = async (
  call: Call,
  operation: ApprovableOperation,
  path: string,
  body: unknown,
): Promise<ApprovableWrite> => {
  const { context, organization } = call
  return {
    ...{ operation, path, body },
    requestKey: requestKeyOf(organization.id, call.idempotencyKey!),
    askedToday: mayNeedApproval(call) ? await approvalsAskedToday(call.read, organization.id) : 0,
    baseUrl: context.config.baseUrl,
  }
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
