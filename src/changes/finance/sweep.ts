/**
 * The sweep (domain 5.4): when the pledged invoice settles, min(proceeds, owed − in flight) moves
 * from the borrower's settlement account to the lender's funding account on the same rail, in the
 * same transaction and once. Nothing else is initiated, and no key's payment_limits count it.
 */
import { sweepAmount } from '../../core/finance/sweep-amount.ts'
import type { PaymentRecord } from '../../core/payments/payment-record.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { changeTime } from '../organization-counters.ts'
import { initiatedBy, newPayment } from '../payments/new-payment.ts'
import { cancelPayment, executePayment } from '../payments/payment-lifecycle.ts'
import { paymentOf } from '../payments/payment-record.ts'
import { type Loan, sweepFactsOf } from './loan-facts.ts'

export const sweepProceeds = (change: ChangeContext, loan: Loan, trigger: PaymentRecord): void => {
  const { unit } = change
  const repayment = cancelScheduledPayment(change, loan.repayment)
  const amount = sweepAmount(sweepFactsOf({ ...loan, repayment }, trigger.amount))
  // One payment of a document is in progress at a time, and a sweep is not tried again.
  if (amount === 0n || repayment.status !== 'approved') return
  const { agreement } = loan
  const at = changeTime(unit, [agreement.borrower_id, agreement.lender_id])
  const isLive = repayment.mode === 'live'
  const payment = newPayment(repayment, at, {
    id: unit.newId(),
    kind: 'sweep',
    payer_id: agreement.borrower_id,
    payee_id: agreement.lender_id,
    status: 'created',
    amount,
    method: trigger.method,
    rail: trigger.rail,
    // Live money leaves the borrower's bank account, as with every live payment.
    payer_account: isLive ? null : agreement.settlement_account,
    source: null,
    payee_account: agreement.funding_account,
    scheduled_for: null,
    due_at: null,
    initiated_by: initiatedBy({ kind: 'system' }),
    limit_root: null,
    limit_day: null,
    limit_version: null,
    triggered_by_payment_id: trigger.id,
    agreement_id: agreement.id,
  })
  executePayment(change, repayment, payment, { to: 'paid', cause: 'settled' })
}

/** A payment that is merely scheduled makes room for the sweep, or is no longer owed. */
export const cancelScheduledPayment = (
  change: ChangeContext,
  document: DocumentRow,
): DocumentRow => {
  const payment = paymentOf(change.unit, document)
  return payment?.status === 'scheduled' ? cancelPayment(change, document, payment) : document
}
