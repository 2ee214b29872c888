/** What a loan that is not repaid counts as in statistics (contract 12, console 1.9). */
import { type Counted, type Period, periodStart } from '../statistics.ts'
import { parseMinor } from '../money.ts'
import { type AgreementRow, flagsOf, parseCollateral } from './finance-views.ts'
import { sweepAmount } from './sweep-amount.ts'
import { feeAmountOf } from './loan-terms.ts'

interface Counting {
  role: 'borrower' | 'lender'
  today: string
  period: Period
  /** What is being repaid in a payment under way. */
  inFlight: bigint
}

export const loanSumsOf = (loan: AgreementRow, counting: Counting): Counted[] => {
  const { currency, principal, amount_repaid, amount_owed } = loan
  const group = counting.role === 'borrower' ? 'borrowed' : 'lent'
  const buckets = [
    ['principal', principal],
    ['fee', feeAmountOf(loan)],
    ['repaid', amount_repaid],
    ['owed', amount_owed],
  ] as const
  const sums = buckets
    .filter(([, amount]) => amount > 0n)
    .map(([bucket, amount]) => ({ start: null, group, bucket, currency, amount }))
  return [...sums, ...sweepOf(loan, counting)]
}

/**
 * The sweep comes with the payment of the pledged invoice, which is expected when that is due. What
 * is owed again after a return was repaid before, which has ended the pledge.
 */
const sweepOf = (loan: AgreementRow, { role, today, period, inFlight }: Counting): Counted[] => {
  const { collateral, currency, amount_owed, due_date } = loan
  const isOwedAgain = flagsOf(loan).some(
    ({ code, cured_at }) => code === 'repayment_returned' && cured_at === null,
  )
  if (isOwedAgain) return []
  const { balance_due, due_date: invoiceDue } = parseCollateral(collateral)
  const proceeds = parseMinor(balance_due) ?? 0n
  const amount = sweepAmount({ proceeds, owed: amount_owed, inFlight })
  if (amount <= 0n) return []
  const day = invoiceDue ?? due_date
  const group = role === 'borrower' ? 'sweep_out' : 'sweep_in'
  if (day < today) return [{ start: null, group, bucket: 'overdue', currency, amount }]
  return [{ start: periodStart(day, period.interval), group, bucket: null, currency, amount }]
}
