/**
 * Either party withdraws from an agreement that is not funded (domain 5.2), or no longer, since the
 * disbursement was returned.
 */
import { refuse } from '../../contract/errors.ts'
import type { ChangeContext } from '../change-context.ts'
import { closeUnfunded } from './follow-loan.ts'
import { type Loan, activePaymentOf, isUnfunded } from './loan-facts.ts'

export const withdrawAgreement = (
  change: ChangeContext,
  loan: Loan,
  reason: string | undefined,
): void => {
  const { agreement, disbursement } = loan
  const payment = activePaymentOf(disbursement)
  const obstacle =
    agreement.closed_at !== null || !isUnfunded(loan)
      ? `The agreement is ${agreement.status}: only one of which nothing is disbursed or repaid can be withdrawn.`
      : payment !== null
        ? `The disbursement has a payment that is ${payment.status}: cancel it, or wait for it.`
        : undefined
  if (obstacle !== undefined) {
    throw refuse('conflict', obstacle, {
      reason: 'agreement_not_withdrawable',
      from: agreement.status,
    })
  }

  // From here the change must succeed.
  closeUnfunded(change, loan, 'withdrawn', reason === undefined ? {} : { note: reason })
}
