/** A repayment is paid only while the lender's money is with the borrower (domain 5.2). */
import { refuse } from '../../contract/errors.ts'
import { financeOf } from '../../core/finance/document-finance.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { DocumentRow } from '../change-context.ts'
import { loanOf } from './loan-facts.ts'

/** Refuses to pay a repayment of which nothing is owed, since the disbursement was returned. */
export const checkIsOwed = (unit: UnitOfWork, document: DocumentRow): void => {
  const { loan } = financeOf(document)
  if (loan === null || document.id !== loan.documents.repayment) return
  const { agreement } = loanOf(unit, loan)
  if (agreement.is_funded) return
  throw refuse('conflict', 'The disbursement was returned: nothing is owed before it is paid.', {
    reason: 'not_payable',
    from: document.status,
  })
}
