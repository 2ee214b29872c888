/** Moves an agreement as a document and as a record together, and notifies both parties. */
import assert from 'node:assert/strict'
import type { AgreementStatus } from '../../contract/finance-states.ts'
import { loanPartsOf } from '../../core/finance/document-finance.ts'
import { collateralText, projectAgreement } from '../../core/finance/finance-views.ts'
import { systemTransition } from '../../core/documents/state-machine.ts'
import type { ChangeContext } from '../change-context.ts'
import { applyStep } from '../documents/transitions.ts'
import type { EventDraft } from '../events.ts'
import { type Loan, isPledged, loanOf, owedOn } from './loan-facts.ts'

export interface AgreementMove {
  status: AgreementStatus
  events: readonly EventDraft[]
  /** Further fields of the history event. */
  history?: object
}

export const moveAgreement = (
  change: ChangeContext,
  loan: Loan,
  { status, events, history = {} }: AgreementMove,
): void => {
  const { unit } = change
  const { agreement, contract } = loan
  const { status: from } = contract
  const next = { ...agreement, status }
  unit.save('finance_agreements', next)
  assert(
    from === status || systemTransition('agreement', from, status),
    `an agreement does not move from ${from} to ${status}`,
  )
  const moved: EventDraft = {
    type: 'document.status_changed',
    previousStatus: from,
    cause: events[0]?.cause ?? (from === 'flagged' ? 'cured' : undefined),
  }
  const withAgreement = events.map(({ extraText, type }): EventDraft => ({
    type,
    extraText: (receiver, document) => {
      const shown = `"agreement":${JSON.stringify(projectAgreement(next, receiver))}`
      return extraText === undefined ? shown : `${shown},${extraText(receiver, document)}`
    },
  }))
  applyStep(change, contract, {
    set: { status },
    events: [...(from === status ? [] : [moved]), ...withAgreement],
    history: { type: events[0]?.type ?? moved.type, more: history },
  })
}

/** The loan after a step that has changed its rows. */
export const currentLoan = ({ unit }: ChangeContext, { agreement }: Loan): Loan =>
  loanOf(unit, loanPartsOf(agreement))

/** What the record repeats of the documents. */
export const amountsOf = (loan: Loan) => ({
  amount_owed: owedOn(loan),
  amount_repaid: loan.repayment.amount_paid,
  // What becomes of the invoice after the pledge does not concern the lender.
  collateral: isPledged(loan) ? collateralText(loan.invoice) : loan.agreement.collateral,
})
