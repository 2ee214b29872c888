/**
 * The state of a loan (domain 5.4), as a pure function of the state of its documents. Because it
 * follows from these and not from the order of events, every interleaving of payments, disputes and
 * credits ends alike; so do its flags (loan-flags.ts).
 */
import type { AgreementStatus, FlagCode } from '../../contract/finance-states.ts'

/** What the rules look at, after all payments and moves of the moment. Amounts are minor units. */
export interface LoanFacts {
  /** The lender's money has arrived and has not been returned. */
  isFunded: boolean
  /** It had arrived and was returned, and has not arrived again. */
  isDisbursementReturned: boolean
  /** The funding deadline has passed. */
  isPastDeadline: boolean
  /** The last day of grace has passed. */
  isPastGrace: boolean
  /** What the borrower owes now; 0 unless funded. */
  owed: bigint
  /** What it will owe once funded, if it is not funded: what is not repaid. */
  toBeOwed: bigint
  /** In payments of the repayment that are created or processing. */
  inFlight: bigint
  /** The latest payment of the repayment, without those that were cancelled. */
  lastRepayment: { kind: string; status: string } | null
  /** The bank has returned the latest one, or has just returned an earlier one. */
  isRepaymentReturned: boolean
  /** The pledged invoice; null once the pledge is released, whatever is owed then. */
  collateral: {
    status: string
    /** What the debtor has still to pay; 0 once it has rejected the invoice. */
    balance: bigint
    /** Since the lender made its offer. */
    credited: bigint
    /** The status of the latest payment of the invoice since the loan was agreed. */
    payment: string | null
  } | null
}

/** The pledge is released, or nothing is left to be paid on the pledged invoice. */
export const isCollateralGone = ({ collateral }: LoanFacts): boolean =>
  collateral === null || collateral.balance === 0n

/** The state of an agreement that is not closed. */
export const agreementStatusOf = (
  facts: LoanFacts,
  open: readonly FlagCode[],
): Exclude<AgreementStatus, 'closed'> => {
  if (facts.isFunded && facts.owed === 0n) return 'repaid'
  if (open.length > 0) return 'flagged'
  return facts.isFunded ? 'funded' : 'accepted'
}
