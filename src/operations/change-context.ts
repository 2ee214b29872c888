/** The context of a change that a call asks for. */
import type { Call } from '../context.ts'
import type { ActingCaller, ApprovableWrite, ChangeContext } from '../changes/change-context.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'

/** Whether the caller can pay, and whether anybody can. */
export const paymentRightsOf = ({ context, scopes }: Pick<Call, 'context' | 'scopes'>) => {
  const isWithoutPayments = !context.config.families.has('payments')
  return { canPay: scopes.has('payments:write') && !isWithoutPayments, isWithoutPayments }
}

export const changeOf = (
  call: Call,
  unit: UnitOfWork,
  approvable: ApprovableWrite | null = null,
): ChangeContext => ({
  unit,
  caller: callerOf(call),
  approvable,
  historyKeys: call.context.keyring.history,
  isWithoutPayments: paymentRightsOf(call).isWithoutPayments,
  isWithoutProcessor: call.context.config.stripe === undefined,
  sandboxStepMs: call.context.config.sandboxStepMs,
  quotas: call.context.config.quotas[call.organization.mode],
})

const callerOf = (call: Call): ActingCaller => ({
  actor: call.credential.actor,
  canPay: paymentRightsOf(call).canPay,
  grantedScopes: call.credential.grantedScopes,
  requestId: call.requestId,
  idempotencyKey: call.idempotencyKey,
  dryRun: call.dryRun,
  ifMatch: call.ifMatch,
  signature: call.signature,
})

/** Who created a document, as its `origin` says. */
export const originOf = ({ credential }: Call): 'api' | 'app' =>
  credential.kind === 'key' ? 'api' : 'app'
