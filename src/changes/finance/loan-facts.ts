/** The state of a loan, read from the locked rows of its agreement and of its four documents. */
import { type LoanParts, loanRows, pledgeHeldFor } from '../../core/finance/document-finance.ts'
import { agreesWithDocuments } from '../../core/finance/current-agreement.ts'
import type { AgreementRow } from '../../core/finance/finance-views.ts'
import { type LoanFacts, isCollateralGone } from '../../core/finance/loan-state.ts'
import { flagAfterOf } from '../../core/finance/loan-terms.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import {
  type PaymentRecord,
  amountInFlight,
  isInProgress,
  parsePayment,
} from '../../core/payments/payment-record.ts'
import { oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'
import { organizationClockMs, todayOf } from '../organization-clock.ts'
import { referencedRow } from './referenced-rows.ts'

export interface Loan {
  agreement: AgreementRow
  /** As documents. */
  contract: DocumentRow
  disbursement: DocumentRow
  repayment: DocumentRow
  invoice: DocumentRow
}

/** Begins again with these rows unless the write has named them. */
export const loanOf = (unit: UnitOfWork, parts: LoanParts): Loan => {
  if (!unit.isNamed('agreements', parts.agreement)) unit.needRows(loanRows(parts))
  const document = (id: string) => referencedRow(unit, 'documents', id)
  const { agreement, disbursement, repayment } = parts.documents
  checkIsCurrent(unit, parts)
  return {
    agreement: referencedRow(unit, 'finance_agreements', parts.agreement),
    contract: document(agreement),
    disbursement: document(disbursement),
    repayment: document(repayment),
    invoice: document(parts.invoice),
  }
}

/** Throws BrokenSeal for an old row of the agreement: as loaded, it agrees with its documents. */
const checkIsCurrent = (unit: UnitOfWork, { agreement: id, documents }: LoanParts): void => {
  const loaded = unit.getLoaded('finance_agreements', id)
  const document = (one: string) => unit.getLoaded('documents', one)
  if (loaded === undefined) return
  const agrees = agreesWithDocuments(loaded, {
    contract: document(documents.agreement),
    disbursement: document(documents.disbursement),
    repayment: document(documents.repayment),
  })
  if (!agrees) throw oldRow('finance_agreements', id)
}

/** Throws BrokenSeal if the proceeds of this settlement were swept already, though not recorded. */
export const checkIsUnswept = (
  unit: UnitOfWork,
  { agreement, contract, disbursement, repayment, invoice }: Loan,
  trigger: PaymentRecord,
): void => {
  const isSweep = (payment: PaymentRecord | null) =>
    payment?.agreement_id === agreement.id && payment.triggered_by_payment_id === trigger.id
  const documents = [contract, disbursement, repayment, invoice].map(({ id }) => id)
  const isOfLoan = ({ document_id }: Rows['payments']) => documents.includes(document_id)
  const isSwept =
    isSweep(latestPayment(repayment)) || unit.find('payments', isOfLoan, isSweep).length > 0
  if (isSwept) throw oldRow('finance_agreements', agreement.id)
}

const latestPayment = ({ payment }: DocumentRow): PaymentRecord | null =>
  payment === null ? null : parsePayment(payment)

export const activePaymentOf = (document: DocumentRow): PaymentRecord | null => {
  const payment = latestPayment(document)
  return payment !== null && isInProgress(payment.status) ? payment : null
}

/** Whether the lender's money has arrived, and was not returned. */
export const isFundedNow = ({ disbursement }: Loan): boolean => disbursement.amount_paid > 0n

/** No money of the lender is with the borrower, and none was or is being repaid. */
export const isUnfunded = (loan: Loan): boolean => {
  const { repayment } = loan
  return !isFundedNow(loan) && repayment.amount_paid === 0n && activePaymentOf(repayment) === null
}

/** Nothing is lent, about to be lent or being repaid, and nothing would secure it any more. */
export const isLeftUnsecured = (unit: UnitOfWork, loan: Loan): boolean =>
  !isFundedNow(loan) &&
  amountInFlight(loan.disbursement.payment) === 0n &&
  activePaymentOf(loan.repayment) === null &&
  isCollateralGone(loanFacts(unit, loan))

/** Whether the invoice secures the loan. A pledge ends once, even if more is owed later. */
export const isPledged = ({ agreement, invoice }: Loan): boolean =>
  pledgeHeldFor(invoice, agreement.id) !== null

/** A settled payment of the pledged invoice whose proceeds were not swept yet. */
export const unsweptPayment = (loan: Loan): PaymentRecord | null => {
  if (!isPledged(loan)) return null
  const { agreement, invoice } = loan
  const payment = latestPayment(invoice)
  const isNew =
    payment?.status === 'settled' &&
    payment.id !== agreement.trigger_payment_id &&
    payment.created_at >= agreement.accepted_at
  return isNew ? payment : null
}

/** What became of the last settled payment of the invoice: only after a return comes another. */
const collateralPayment = ({ agreement, invoice }: Loan): string | null => {
  if (agreement.trigger_payment_id === null) return null
  const payment = latestPayment(invoice)
  return payment?.id === agreement.trigger_payment_id ? payment.status : 'returned'
}

export const owedOn = (loan: Loan): bigint => (isFundedNow(loan) ? balanceDue(loan.repayment) : 0n)

export const loanFacts = (unit: UnitOfWork, loan: Loan): LoanFacts => {
  const { agreement, repayment } = loan
  const isFunded = isFundedNow(loan)
  const last = latestPayment(repayment)
  return {
    isFunded,
    isDisbursementReturned: !isFunded && agreement.funded_at !== null,
    isPastDeadline:
      organizationClockMs(unit, agreement.lender_id) >= Date.parse(agreement.funding_deadline),
    isPastGrace: todayOf(unit, agreement.borrower_id) > flagAfterOf(agreement),
    owed: owedOn(loan),
    toBeOwed: balanceDue(repayment),
    inFlight: amountInFlight(repayment.payment),
    lastRepayment:
      last === null || last.status === 'cancelled'
        ? null
        : { kind: last.kind, status: last.status },
    isRepaymentReturned: last?.status === 'returned' || hasReturnedPayment(unit, repayment),
    collateral: isPledged(loan) ? collateralFacts(loan) : null,
  }
}

/** The payment that this write returns: one returned before is loaded only for news about it. */
const hasReturnedPayment = (unit: UnitOfWork, { id }: DocumentRow): boolean =>
  unit.find(
    'payments',
    ({ document_id }) => document_id === id,
    ({ status }) => status === 'returned',
  ).length > 0

const collateralFacts = (loan: Loan): LoanFacts['collateral'] => ({
  status: loan.invoice.status,
  balance: balanceDue(loan.invoice),
  credited: loan.invoice.amount_credited - creditedBefore(loan),
  payment: collateralPayment(loan),
})

const creditedBefore = ({ agreement, invoice }: Loan): bigint =>
  BigInt(pledgeHeldFor(invoice, agreement.id)?.credited ?? 0)

export const sweepFactsOf = (loan: Loan, proceeds: bigint) => ({
  proceeds,
  owed: owedOn(loan),
  inFlight: amountInFlight(loan.repayment.payment),
})
