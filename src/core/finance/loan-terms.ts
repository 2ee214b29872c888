/** The terms of a loan: the fee, what is repayable, and the disclosure of its cost (domain 5). */
import { addDays, daysBetween } from '../dates.ts'
import { basisPointFee, divideHalfUp, fromMinor, minorText } from '../money.ts'

/** The highest principal and fee: no line of a document holds more. */
export const loanAmountMax = 99_999_999_999n

/** The terms as listings, offers and agreements store them. */
export interface LoanTerms {
  currency: string
  principal: bigint
  fee_type: string
  /** Minor units, or basis points. */
  fee_value: bigint
  grace_days: number
  due_date: string
}

export const feeAmountOf = ({ principal, fee_type, fee_value }: LoanTerms): bigint =>
  fee_type === 'bps' ? basisPointFee(principal, Number(fee_value)) : fee_value

export const totalRepayableOf = (terms: LoanTerms): bigint => terms.principal + feeAmountOf(terms)

/** The last day on which the repayment is not overdue. */
export const flagAfterOf = ({ due_date, grace_days }: LoanTerms): string =>
  addDays(due_date, grace_days)

/** The terms with what follows from them, as the API shows them. */
export const projectTerms = (terms: LoanTerms) => ({
  principal: fromMinor(terms.principal),
  fee: {
    type: terms.fee_type as 'flat' | 'bps',
    value: terms.fee_type === 'bps' ? Number(terms.fee_value) : fromMinor(terms.fee_value),
  },
  grace_days: terms.grace_days,
  currency: terms.currency as 'USD' | 'EUR' | 'GBP' | 'CAD',
  fee_amount: fromMinor(feeAmountOf(terms)),
  total_repayable: fromMinor(totalRepayableOf(terms)),
  due_date: terms.due_date,
  flag_after: flagAfterOf(terms),
})

/** The same as the standing authorization states them, with decimal texts. */
export const authorizedTerms = (terms: LoanTerms) => ({
  currency: terms.currency,
  due_date: terms.due_date,
  fee: {
    amount: minorText(feeAmountOf(terms)),
    type: terms.fee_type,
    value: terms.fee_type === 'bps' ? String(terms.fee_value) : minorText(terms.fee_value),
  },
  flag_after: flagAfterOf(terms),
  grace_days: terms.grace_days,
  principal: minorText(terms.principal),
  total_repayable: minorText(totalRepayableOf(terms)),
})

const daysPerYear = 365n
const costScale = 10_000n

/** What a lender discloses with an offer made on this day (domain 5.6). */
export interface Disclosure {
  amountProvided: bigint
  financeCharge: bigint
  totalRepayable: bigint
  termDays: number
  /** In ten thousandths. */
  annualizedCost: bigint
}

export const disclosureOf = (terms: LoanTerms, offerDate: string): Disclosure => {
  const financeCharge = feeAmountOf(terms)
  const termDays = Math.max(1, daysBetween(offerDate, terms.due_date))
  return {
    amountProvided: terms.principal,
    financeCharge,
    totalRepayable: totalRepayableOf(terms),
    termDays,
    annualizedCost: divideHalfEven(
      financeCharge * daysPerYear * costScale,
      terms.principal * BigInt(termDays),
    ),
  }
}

/** The quotient of non-negative integers; a half goes to the even neighbour. */
const divideHalfEven = (numerator: bigint, denominator: bigint): bigint => {
  const half = divideHalfUp(numerator, denominator)
  const isTie = (numerator % denominator) * 2n === denominator
  return isTie && half % 2n === 1n ? half - 1n : half
}

export const commonTerms = {
  prepayment: 'no_rebate',
  security: 'pledge of one receivable',
  recourse: 'full',
} as const

const costText = (cost: bigint): string =>
  `${cost / costScale}.${String(cost % costScale).padStart(4, '0')}`

export const authorizedDisclosure = (disclosure: Disclosure) => ({
  amount_provided: minorText(disclosure.amountProvided),
  annualized_cost: costText(disclosure.annualizedCost),
  finance_charge: minorText(disclosure.financeCharge),
  ...commonTerms,
  term_days: disclosure.termDays,
  total_repayable: minorText(disclosure.totalRepayable),
})
