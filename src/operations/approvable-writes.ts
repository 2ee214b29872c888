/** The writes that may need an approval, as their decisions know them (contract 12). */
import type { ApprovableOperation } from '../contract/approvals.ts'
import type { Call } from '../context.ts'
import type { ApprovableWrite } from '../changes/change-context.ts'
import { requestKeyOf } from '../core/approvals/approval-decisions.ts'
import type { RowsToLock } from '../engine/write-request.ts'
import { approvalsAskedToday } from '../store/approvals/approvals.ts'

export const approvableWrite = async (
  call: Call,
  operation: ApprovableOperation,
  path: string,
  body: unknown,
): Promise<ApprovableWrite> => {
  const { context, credential, organization } = call
  return {
    ...{ operation, path, body },
    requestKey: requestKeyOf(organization.id, call.idempotencyKey!),
    askedToday: credential.requiresApproval
      ? await approvalsAskedToday(call.read, organization.id)
      : 0,
    baseUrl: context.config.baseUrl,
  }
}

/** The rows that decide whether the write needs an approval, and whether it has one. */
export const approvalNeeds = (
  { credential }: Call,
  { requestKey }: ApprovableWrite,
): Pick<RowsToLock, 'approvals' | 'payingKeys'> => ({
  approvals: [requestKey],
  payingKeys: credential.kind === 'key' ? [credential.id] : [],
})
