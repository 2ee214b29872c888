/**
 * When a loan has to be looked at again (domain 5.4): the funding deadline by the lender's clock,
 * the end of the days of grace by the borrower's, and the end of the days in which the last
 * repayment can be returned.
 */
import { limits } from '../../contract/limits.ts'
import { addDays, startOfDay } from '../../core/dates.ts'
import type { AgreementRow } from '../../core/finance/finance-views.ts'
import type { LoanFacts } from '../../core/finance/loan-state.ts'
import { flagAfterOf } from '../../core/finance/loan-terms.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'

type Deadline = Pick<AgreementRow, 'due_at' | 'due_by'>

const none: Deadline = { due_at: null, due_by: null }

export const nextDeadline = (
  unit: UnitOfWork,
  agreement: AgreementRow,
  facts: LoanFacts,
): Deadline => {
  const { borrower_id, lender_id, funding_deadline } = agreement
  if (!facts.isFunded) {
    if (facts.isPastDeadline) return none
    return { due_at: funding_deadline, due_by: lender_id }
  }
  if (facts.owed === 0n) return closingDeadline(unit, agreement, facts)
  if (facts.isPastGrace) return none
  const lastDay = flagAfterOf(agreement)
  return { due_at: startOfDay(addDays(lastDay, 1)), due_by: borrower_id }
}

/** A live repayment by ACH can be returned for some days; a sandbox does not wait for that. */
const closingDeadline = (
  unit: UnitOfWork,
  { mode, currency, repaid_at, borrower_id }: AgreementRow,
  { lastRepayment }: LoanFacts,
): Deadline => {
  const isReturnable = mode === 'live' && currency === 'USD' && lastRepayment !== null
  if (!isReturnable) return none
  const due_at = addBankingDays(repaid_at ?? unit.now, limits.achReturnBankingDays)
  return Date.parse(due_at) <= Date.parse(unit.now) ? none : { due_at, due_by: borrower_id }
}

/** Weekdays; holidays only make it later, which nobody relies on. */
const addBankingDays = (from: string, days: number): string => {
  let date = from.slice(0, 10)
  for (let left = days; left > 0;) {
    date = addDays(date, 1)
    const weekday = new Date(date).getUTCDay()
    if (weekday !== 0 && weekday !== 6) left -= 1
  }
  return `${date}${from.slice(10)}`
}
