/**
 * What the demo counterparty does about a listing (domain 6): as the lender, and as the debtor of
 * the invoice if it owes it; and as the borrower of a listing of its own.
 */
import type { DemoListingScenario, ListingScenario } from '../../contract/shapes/finance.ts'
import type { LoanTermsInput } from '../../contract/shapes/finance-terms.ts'
import { type LoanTerms, loanAmountMax } from '../finance/loan-terms.ts'
import { fromMinor, moneyBounds } from '../money.ts'

/** A step waits for its turn, for a move of the other side, or for a day. */
export type DemoLoanStep =
  | { does: 'offers'; kind: 'at_ask' | 'counter'; after: 'a step' }
  | { does: 'accepts' | 'declines'; after: 'an offer' }
  | { does: 'funds'; after: 'the acceptance' }
  | { does: 'pays the invoice'; after: 'the due date' | 'the days of grace' }

const offersAtAsk: DemoLoanStep = { does: 'offers', kind: 'at_ask', after: 'a step' }
const counters: DemoLoanStep = { does: 'offers', kind: 'counter', after: 'a step' }
const funds: DemoLoanStep = { does: 'funds', after: 'the acceptance' }
const paysWhenDue: DemoLoanStep = { does: 'pays the invoice', after: 'the due date' }
const paysLate: DemoLoanStep = { does: 'pays the invoice', after: 'the days of grace' }

/** For a listing of the other side. */
export const listingScenarioSteps: Record<ListingScenario, readonly DemoLoanStep[]> = {
  offer_at_ask: [offersAtAsk, funds],
  counter: [counters, funds],
  offer_and_fund: [offersAtAsk, funds, paysWhenDue],
  debtor_pays_late: [offersAtAsk, funds, paysLate],
  never_funds: [offersAtAsk],
  offer_no_funding: [offersAtAsk],
  silent: [],
}

export const defaultListingScenario: ListingScenario = 'offer_at_ask'

/** For a listing of the demo counterparty. */
export const demoListingScenarioSteps: Record<DemoListingScenario, readonly DemoLoanStep[]> = {
  accept: [{ does: 'accepts', after: 'an offer' }],
  decline: [{ does: 'declines', after: 'an offer' }],
  manual: [],
}

export const defaultDemoListingScenario: DemoListingScenario = 'accept'

/** The days after the days of grace on which a late debtor pays. */
export const lateDays = 2

/** The terms of a counter: those of the listing with half as much again as its fee. */
export const counterTerms = ({
  principal,
  fee_type,
  fee_value,
  grace_days,
}: LoanTerms): LoanTermsInput => {
  const value = (fee_value * 3n + 1n) / 2n
  const isBps = fee_type === 'bps'
  return {
    principal: fromMinor(principal),
    fee: {
      type: isBps ? 'bps' : 'flat',
      value: isBps
        ? Math.min(Number(value), moneyBounds.basisPoints.max)
        : fromMinor(value < loanAmountMax ? value : loanAmountMax),
    },
    grace_days,
  }
}
