/** Who may borrow and lend, and against which invoices (domain 5.1). */
import type { DocumentTypeName } from '../../contract/document-types.ts'
import type { ConflictReason } from '../../contract/conflict-reasons.ts'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { notCapable } from '../../contract/finance-capability.ts'
import type { FinanceBlocker } from '../../contract/shapes/finance.ts'
import { isEncumbered } from '../../core/finance/document-finance.ts'
import type { LoanTerms } from '../../core/finance/loan-terms.ts'
import { balanceDue } from '../../core/documents/projection.ts'
import { encodeId } from '../../core/ids.ts'
import { minorText } from '../../core/money.ts'
import { isInProgress, parsePayment } from '../../core/payments/payment-record.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'
import { todayOf } from '../organization-clock.ts'

type SetupRow = Rows['finance_setups']

/** The caller's enabled setup; for the other party, ask `borrows` and `lends`. */
export const borrowerSetup = (unit: UnitOfWork, organization: string): SetupRow => {
  if (borrows(unit, organization)) return unit.get('finance_setups', organization)!
  throw notReady(unit, organization, 'borrower_setup')
}

export const lenderSetup = (unit: UnitOfWork, organization: string): SetupRow => {
  if (lends(unit, organization)) return unit.get('finance_setups', organization)!
  throw notReady(unit, organization, 'lender_setup')
}

export const borrows = (unit: UnitOfWork, organization: string): boolean =>
  unit.get('finance_setups', organization)?.borrower_enabled === true &&
  isVerified(unit, organization)

export const lends = (unit: UnitOfWork, organization: string): boolean =>
  unit.get('finance_setups', organization)?.lender_enabled === true &&
  isVerified(unit, organization)

/** Enough for what a party may do whether or not it still borrows or lends. */
export const checkSetUp = (unit: UnitOfWork, organization: string): void => {
  if (unit.get('finance_setups', organization) !== undefined) return
  throw notCapable('not_set_up', ['borrower_setup', 'lender_setup'])
}

/** The operator has verified the organization, and has not suspended it since. */
const isVerified = (unit: UnitOfWork, organization: string): boolean => {
  const row = unit.get('organizations', organization)
  return row !== undefined && row.verified_at !== null && row.suspended_at === null
}

const notReady = (unit: UnitOfWork, organization: string, blocker: FinanceBlocker): Error =>
  isVerified(unit, organization)
    ? notCapable('not_set_up', [blocker])
    : notCapable('organization_unverified', ['verification'])

/** For whoever reads the listing or the offer all the same. */
export const notConnected = (): Error =>
  refuse('conflict', 'Borrower and lender no longer have an active connection.', {
    reason: 'connection_not_active',
  })

/** Why an invoice secures no loan now, if it does not. */
const obstacleOf = (
  unit: UnitOfWork,
  invoice: DocumentRow,
): { reason: ConflictReason; message: string } | undefined => {
  const payment = invoice.payment === null ? null : parsePayment(invoice.payment)
  const isPaying = payment !== null && isInProgress(payment.status)
  const number = invoice.issuer_number
  if (invoice.is_frozen)
    return { reason: 'connection_not_active', message: `${number} can only be read.` }
  if (isPaying) return { reason: 'payment_in_progress', message: `${number} is being paid.` }
  if (invoice.status !== 'approved')
    return {
      reason: 'not_payable',
      message: `${number} is ${invoice.status}: only an approved invoice secures a loan.`,
    }
  if (invoice.due_date === null)
    return { reason: 'not_payable', message: `${number} has no due date.` }
  if (invoice.due_date < todayOf(unit, invoice.issuer_id))
    return { reason: 'terms_date_past', message: `${number} was due on ${invoice.due_date}.` }
  return undefined
}

/** Whether a listed invoice still secures the loan that is asked for. */
export const isStillEligible = (
  unit: UnitOfWork,
  invoice: DocumentRow,
  { principal }: Pick<LoanTerms, 'principal'>,
): boolean => obstacleOf(unit, invoice) === undefined && balanceDue(invoice) >= principal

/** Refuses an invoice that secures no loan. */
export const checkInvoice = (
  unit: UnitOfWork,
  invoice: DocumentRow,
  borrower: string,
  options: { isListed: boolean },
): void => {
  if ((invoice.type as DocumentTypeName) !== 'invoice' || invoice.issuer_id !== borrower) {
    throw invalidRequest({
      param: '/document_id',
      code: 'invalid_value',
      message: 'Only an invoice that you have issued secures a loan.',
      fix: 'send the id of one of your approved invoices',
    })
  }
  const details = { document_id: encodeId('doc', invoice.id) }
  if (!options.isListed && isEncumbered(invoice)) {
    throw refuse('conflict', `${invoice.issuer_number} is listed or pledged already.`, {
      reason: 'already_pledged',
      ...details,
    })
  }
  const obstacle = obstacleOf(unit, invoice)
  if (obstacle === undefined) return
  throw refuse('conflict', obstacle.message, { reason: obstacle.reason, ...details })
}

/** Refuses a principal above what the invoice will bring. */
export const checkPrincipal = (
  invoice: DocumentRow,
  { principal }: Pick<LoanTerms, 'principal'>,
): void => {
  const balance = balanceDue(invoice)
  if (principal <= balance) return
  throw invalidRequest({
    param: '/terms/principal',
    code: 'out_of_range',
    message: `The invoice has ${minorText(balance)} ${invoice.currency} left to be paid.`,
    fix: `send at most ${minorText(balance)}`,
  })
}
