/** The terms that a caller sends, checked and in minor units (domain 5.2). */
import type { Problem } from '../../contract/problem.ts'
import type { LoanTermsInput } from '../../contract/shapes/finance-terms.ts'
import { amountProblem } from '../../core/amount-problem.ts'
import { type LoanTerms, loanAmountMax } from '../../core/finance/loan-terms.ts'
import { moneyBounds, parseMinor } from '../../core/money.ts'

/** Terms from which the fields that failed their schema were removed. */
type SoundTerms = Partial<Omit<LoanTermsInput, 'fee'>> & { fee?: Partial<LoanTermsInput['fee']> }

/** Problems of the terms that their schema cannot express. */
export const termsProblems = ({ principal, fee }: SoundTerms): Problem[] => [
  ...(principal === undefined ? [] : moneyProblems('/terms/principal', principal, 1n)),
  ...(fee?.value === undefined ? [] : feeProblems(fee.type, fee.value)),
]

const feeProblems = (type: string | undefined, value: number): Problem[] =>
  type === 'bps' ? basisPointProblems(value) : moneyProblems('/terms/fee/value', value, 0n)

const moneyProblems = (param: string, amount: number, least: bigint): Problem[] =>
  [amountProblem(param, amount, { least, most: loanAmountMax })].filter((one) => one !== undefined)

const basisPointProblems = (value: number): Problem[] => {
  const { max } = moneyBounds.basisPoints
  if (Number.isInteger(value) && value >= 0 && value <= max) return []
  const message = `Basis points are whole numbers from 0 to ${max}.`
  const fix = 'send 250 for 2.5 %'
  return [{ param: '/terms/fee/value', code: 'out_of_range', message, fix }]
}

/** The terms for an invoice, once they have no problems. */
export const requestedTerms = (
  { principal, fee, grace_days }: LoanTermsInput,
  invoice: { currency: string; due_date: string | null },
): LoanTerms => ({
  currency: invoice.currency,
  principal: parseMinor(principal)!,
  fee_type: fee.type,
  fee_value: fee.type === 'bps' ? BigInt(fee.value) : parseMinor(fee.value)!,
  grace_days,
  due_date: invoice.due_date!,
})
