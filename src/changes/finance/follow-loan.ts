/**
 * Lets a loan and a listing follow what has just happened to one of their documents (domain 5.4),
 * in the same transaction. Called once a change is made and before its response is built. It looks
 * at the state and not at the change, so it does not matter which change led there, and repeating
 * it changes nothing.
 */
import type { ClosedReason } from '../../contract/finance-states.ts'
import {
  awaitsFunding,
  financeOf,
  pledgeHeldFor,
  serializeFinance,
} from '../../core/finance/document-finance.ts'
import { isFrozenLoan } from '../../core/finance/current-agreement.ts'
import { type AgreementRow, collateralText, flagsOf } from '../../core/finance/finance-views.ts'
import { agreementStatusOf } from '../../core/finance/loan-state.ts'
import {
  type RaisedFlag,
  nextFlags,
  openFlags,
  stopsFunding,
} from '../../core/finance/loan-flags.ts'
import { parseContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import { parsePayment, shownPayment } from '../../core/payments/payment-record.ts'
import type { ChangeContext, DocumentRow } from '../change-context.ts'
import { viewersOf } from '../documents/document-access.ts'
import { applyDocumentChange, applyStep } from '../documents/transitions.ts'
import type { EventDraft } from '../events.ts'
import { changeTime } from '../organization-counters.ts'
import { amountsOf, currentLoan, moveAgreement } from './agreement-moves.ts'
import { isStillEligible } from './eligibility.ts'
import { endListing } from './listings.ts'
import {
  type Loan,
  checkIsUnswept,
  isFundedNow,
  isLeftUnsecured,
  loanFacts,
  loanOf,
  unsweptPayment,
} from './loan-facts.ts'
import { nextDeadline } from './loan-deadlines.ts'
import { referencedRow, pledgeRowsOf } from './referenced-rows.ts'
import { movePledge, releasePledge } from './pledges.ts'
import { cancelScheduledPayment, sweepProceeds } from './sweep.ts'

/** The document as it is afterwards. */
export const followLoan = (change: ChangeContext, changed: DocumentRow): DocumentRow => {
  if (changed.finance === null) return changed
  const { listing, loan } = financeOf(changed)
  if (listing !== null) followListing(change, listing)
  if (loan !== null) {
    const current = loanOf(change.unit, loan)
    const hasEnded = current.agreement.closed_at !== null || isFrozenLoan(current)
    if (!hasEnded) {
      // Nobody funds or repays a loan whose pledge is gone.
      pledgeRowsOf(change.unit, current.invoice, loan.agreement)
      advance(asSystem(change), current)
    }
  }
  return change.unit.get('documents', changed.id) ?? changed
}

/** What follows is not attributed to whoever began it: lender and debtor are strangers. */
const asSystem = (change: ChangeContext): ChangeContext => ({
  ...change,
  caller: { ...change.caller, actor: { kind: 'system' }, signature: null },
})

/** The same for the documents that have changed because this one was issued. */
export const followSources = (change: ChangeContext, issued: DocumentRow): void => {
  for (const { document_id } of parseContent(issued.content).references) {
    const source = change.unit.get('documents', decodeId('doc', document_id)!)
    if (source !== undefined) followLoan(change, source)
  }
}

/** Ends an open listing whose invoice secures nothing any more, or shows what is left of it. */
export const followListing = (change: ChangeContext, id: string): void => {
  const { unit } = change
  if (!unit.isNamed('listings', id)) unit.needRows({ listings: [id] })
  const listing = referencedRow(unit, 'finance_listings', id)
  if (listing.status !== 'open') return
  const invoice = unit.get('documents', listing.document_id)!
  if (!isStillEligible(unit, invoice, listing)) {
    endListing(change, listing, 'invalidated')
    return
  }
  const collateral = collateralText(invoice)
  if (collateral === listing.collateral) return
  const updated_at = changeTime(unit, [listing.borrower_id])
  unit.save('finance_listings', { ...listing, collateral, updated_at })
}

/** The steps in the order in which they depend on each other. */
const advance = (change: ChangeContext, start: Loan): void => {
  let loan = suspendRepayment(change, fund(change, start))
  loan = sweep(change, loan)
  if (closeIfUnsecured(change, loan)) return
  loan = settleFlagsAndStatus(change, loan)
  if (isLeftUnsecured(change.unit, loan)) releasePledge(change, loan.invoice, loan.agreement.id)
  if (loan.agreement.status === 'repaid') closeIfDone(change, loan)
}

/** The disbursement has settled: the repayment becomes payable and the pledge is assigned. */
const fund = (change: ChangeContext, loan: Loan): Loan => {
  const { agreement, disbursement, repayment, invoice } = loan
  const isFunded = isFundedNow(loan)
  if (isFunded === agreement.is_funded) return loan
  const { unit } = change
  const at = changeTime(unit, [agreement.borrower_id, agreement.lender_id])
  if (!isFunded) {
    cancelScheduledPayment(change, repayment)
    unit.save('finance_agreements', { ...agreement, is_funded: false, updated_at: at })
    return currentLoan(change, loan)
  }
  if (repayment.status === 'submitted') {
    applyDocumentChange(change, repayment, { set: { status: 'approved' }, cause: 'funded' })
  }
  const pledge = pledgeHeldFor(invoice, agreement.id)
  if (pledge?.status === 'recorded') movePledge(change, invoice, { status: 'assigned' })
  const funded_at = agreement.funded_at ?? at
  const amounts = amountsOf(currentLoan(change, loan))
  const funded = { ...agreement, ...amounts, is_funded: true, funded_at, updated_at: at }
  unit.save('finance_agreements', funded)
  const extraText = (receiver: string) =>
    `"payment":${shownPayment(disbursement.payment!, receiver)}`
  const events = [{ type: 'finance.agreement.funded', extraText } as const]
  moveAgreement(change, currentLoan(change, loan), { status: 'funded', events })
  return currentLoan(change, loan)
}

/** While the disbursement is returned, nobody can pay the repayment. */
const suspendRepayment = (change: ChangeContext, loan: Loan): Loan => {
  const { agreement, repayment } = loan
  const isReturned = !agreement.is_funded && agreement.funded_at !== null
  if (isReturned === awaitsFunding(repayment)) return loan
  const { awaitsFunding: _before, ...others } = financeOf(repayment)
  const finance = serializeFinance(isReturned ? { ...others, awaitsFunding: true } : others)
  const changed = { extraText: () => '"changes":["payable"]', type: 'document.edited' } as const
  applyStep(change, repayment, { set: { finance }, events: [changed] })
  return currentLoan(change, loan)
}

/** The pledged invoice has settled: its proceeds are swept once. */
const sweep = (change: ChangeContext, loan: Loan): Loan => {
  const trigger = unsweptPayment(loan)
  if (trigger === null) return loan
  const { unit } = change
  checkIsUnswept(unit, loan, trigger)
  if (loan.agreement.is_funded) sweepProceeds(change, loan, trigger)
  const { agreement } = currentLoan(change, loan)
  unit.save('finance_agreements', { ...agreement, trigger_payment_id: trigger.id })
  return currentLoan(change, loan)
}

/**
 * Nothing is lent, and nothing secures it any more: a disbursement under way is awaited. What was
 * repaid before the disbursement came back is owed to the borrower, so that it keeps the loan open.
 */
const closeIfUnsecured = (change: ChangeContext, loan: Loan): boolean => {
  const { disbursement, repayment } = loan
  if (repayment.amount_paid > 0n || !isLeftUnsecured(change.unit, loan)) return false
  cancelScheduledPayment(change, disbursement)
  closeUnfunded(change, currentLoan(change, loan), 'collateral_settled')
  return true
}

/** Closes an agreement that is not funded: its documents are cancelled, the pledge released. */
export const closeUnfunded = (
  change: ChangeContext,
  loan: Loan,
  reason: Exclude<ClosedReason, 'repaid'>,
  history: object = {},
): void => {
  // The last that the lender reads of the invoice is what ends the loan.
  change.unit.save('finance_agreements', { ...loan.agreement, ...amountsOf(loan) })
  for (const document of [loan.disbursement, loan.repayment]) {
    applyDocumentChange(change, document, { set: { status: 'cancelled' }, cause: reason })
  }
  releasePledge(change, loan.invoice, loan.agreement.id)
  close(change, currentLoan(change, loan), reason, history)
}

const close = (
  change: ChangeContext,
  loan: Loan,
  reason: ClosedReason,
  history: object = {},
): void => {
  const { unit } = change
  const at = changeTime(unit, [loan.agreement.borrower_id, loan.agreement.lender_id])
  unit.save('finance_agreements', {
    ...loan.agreement,
    ...amountsOf(loan),
    closed_reason: reason,
    closed_at: at,
    due_at: null,
    due_by: null,
    updated_at: at,
  })
  const extraText = () => `"closed_reason":"${reason}"`
  const events = [{ type: 'finance.agreement.closed', extraText, cause: reason } as const]
  moveAgreement(change, currentLoan(change, loan), { status: 'closed', events, history })
}

/**
 * The lender has reset its sandbox: nothing secures what it lent any more. A borrower that resets
 * its own at the same time releases its pledges itself.
 */
export const releaseLeftPledge = (change: ChangeContext, contract: DocumentRow): void => {
  const { loan } = financeOf(contract)
  if (loan === null) return
  const { invoice } = loanOf(change.unit, loan)
  if (!viewersOf(change.unit, invoice).includes('issuer')) return
  releasePledge(change, invoice, loan.agreement)
}

/** Raises and cures flags, and moves the agreement accordingly. */
const settleFlagsAndStatus = (change: ChangeContext, loan: Loan): Loan => {
  const { unit } = change
  const { agreement } = loan
  const facts = loanFacts(unit, loan)
  const before = flagsOf(agreement)
  const open = openFlags(facts, before)
  const { flags, raised } = nextFlags(before, open, unit.now)
  const status = agreementStatusOf(facts, open)
  const isRepaid = status === 'repaid' && agreement.status !== 'repaid'
  const next = {
    ...agreement,
    ...amountsOf(loan),
    flags: JSON.stringify(flags),
    ...nextDeadline(unit, agreement, facts),
    repaid_at: isRepaid ? unit.now : status === 'repaid' ? agreement.repaid_at : null,
  }
  const columns = Object.keys(next) as (keyof AgreementRow)[]
  const isSame = columns.every((name) => next[name] === agreement[name])
  if (isSame && status === agreement.status) return loan
  const at = changeTime(unit, [agreement.borrower_id, agreement.lender_id])
  unit.save('finance_agreements', { ...next, updated_at: at })
  // Also while the lender's money is back: whoever has repaid everything pledges nothing for it.
  const { amount_paid, total } = loan.repayment
  if (amount_paid === total) releasePledge(change, loan.invoice, agreement.id)
  const raisedFlags = flags.filter(({ code }) => raised.includes(code))
  const events = statusEvents(loan, raisedFlags, isRepaid)
  if (events.length > 0 || status !== agreement.status) {
    moveAgreement(change, currentLoan(change, loan), { status, events })
  }
  if (stopsFunding(before, open)) cancelScheduledPayment(change, loan.disbursement)
  return currentLoan(change, loan)
}

const statusEvents = (
  loan: Loan,
  raised: readonly RaisedFlag[],
  isRepaid: boolean,
): EventDraft[] => {
  const flagged = raised.map((flag): EventDraft => ({
    type: 'finance.agreement.flagged',
    cause: flag.code,
    extraText: () => `"flag":${JSON.stringify(flag)}`,
  }))
  if (!isRepaid) return flagged
  const payment = loan.repayment.payment!
  const isSwept = parsePayment(payment).kind === 'sweep'
  const extraText = (receiver: string) =>
    `"payment":${shownPayment(payment, receiver)},"swept":${isSwept}`
  return [...flagged, { type: 'finance.agreement.repaid', extraText }]
}

/** At once, or after the days in which the last repayment can still be returned. */
const closeIfDone = (change: ChangeContext, loan: Loan): void => {
  const { agreement } = loan
  if (agreement.due_at !== null) return
  close(change, loan, 'repaid')
}
