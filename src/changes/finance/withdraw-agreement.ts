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
  const obstacle = obstacleTo(loan)
  if (obstacle !== undefined) {
    throw refuse('conflict', obstacle, {
      reason: 'agreement_not_withdrawable',
      from: loan.agreement.status,
    })
  }

  // From here the change must succeed.
  closeUnfunded(change, loan, 'withdrawn', reason === undefined ? {} : { note: reason })
}

const obstacleTo = (loan: Loan): string | undefined => {
  const { closed_at, status } = loan.agreement
  if (closed_at !== null || !isUnfunded(loan))
    return `The agreement is ${status}: only one of which nothing is disbursed or repaid can be withdrawn.`
  const payment = activePaymentOf(loan.disbursement)
  return payment === null
    ? undefined
    : `The disbursement has a payment that is ${payment.status}: cancel it, or wait for it.`
}
