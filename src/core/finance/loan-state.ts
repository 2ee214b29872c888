/**
 * What a loan does by itself (domain 5.4), as pure functions of the state of its documents: what is
 * swept, which flags are raised, and the next state. Because they follow from the state and not
 * from the order of events, every interleaving of payments, disputes and credits ends alike. A flag
 * that was raised is part of that state: some stay until everything is repaid.
 */
import {
  type AgreementStatus,
  type FlagCode,
  everythingIsRepaid,
  flagCodeNames,
  flagCodes,
} from '../../contract/finance-states.ts'

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

export interface SweepFacts {
  proceeds: bigint
  owed: bigint
  inFlight: bigint
}

/** The sweep of the proceeds of one settlement: min(proceeds, owed − in flight), never below 0. */
export const sweepAmount = ({ proceeds, owed, inFlight }: SweepFacts): bigint => {
  const open = owed > inFlight ? owed - inFlight : 0n
  return proceeds < open ? proceeds : open
}

const isWithdrawn = (status: string): boolean => status === 'rejected' || status === 'cancelled'

/** The pledge is released, or nothing is left to be paid on the pledged invoice. */
export const isCollateralGone = ({ collateral }: LoanFacts): boolean =>
  collateral === null || collateral.balance === 0n

/** Whether each flag is raised now. */
const causes: Record<FlagCode, (facts: LoanFacts) => boolean> = {
  funding_overdue: (facts) => !facts.isFunded && facts.isPastDeadline,
  repayment_overdue: (facts) => facts.owed > 0n && facts.isPastGrace,
  sweep_shortfall: (facts) =>
    facts.collateral?.payment === 'settled' &&
    facts.owed > facts.inFlight &&
    !hasFailedSweep(facts) &&
    !facts.isRepaymentReturned,
  sweep_failed: (facts) => facts.owed > 0n && hasFailedSweep(facts),
  collateral_disputed: (facts) =>
    isOutstanding(facts) &&
    ['disputed', 'acknowledged', 'submitted'].includes(facts.collateral?.status ?? ''),
  collateral_diluted: (facts) => {
    const { collateral } = facts
    if (collateral === null) return false
    const isReduced = collateral.credited > 0n || isWithdrawn(collateral.status)
    return isReduced && collateral.payment !== 'settled' && collateral.balance < unpaidOf(facts)
  },
  proceeds_returned: (facts) => facts.owed > 0n && facts.collateral?.payment === 'returned',
  disbursement_returned: (facts) => facts.isDisbursementReturned,
  repayment_returned: (facts) => facts.owed > 0n && facts.isRepaymentReturned,
}

const unpaidOf = ({ isFunded, owed, toBeOwed }: LoanFacts): bigint => (isFunded ? owed : toBeOwed)

/** Something is owed, or will be. */
const isOutstanding = ({ isFunded, owed }: LoanFacts): boolean => !isFunded || owed > 0n

const hasFailedSweep = ({ lastRepayment }: LoanFacts): boolean =>
  lastRepayment?.kind === 'sweep' && lastRepayment.status === 'failed'

/** The flags that are raised now, or were before and are not cured by their own rule. */
export const openFlags = (facts: LoanFacts, before: readonly RaisedFlag[]): FlagCode[] =>
  flagCodeNames.filter(
    (code) => causes[code](facts) || (unpaidOf(facts) > 0n && staysUntilRepaid(code, before)),
  )

const staysUntilRepaid = (code: FlagCode, before: readonly RaisedFlag[]): boolean =>
  flagCodes[code].cure === everythingIsRepaid &&
  before.some((flag) => flag.code === code && flag.cured_at === null)

/** One entry per code that was ever raised. */
export interface RaisedFlag {
  code: FlagCode
  since: string
  cured_at: string | null
}

/** The flags after a change, and which of them are raised for the first time. */
export const nextFlags = (
  before: readonly RaisedFlag[],
  open: readonly FlagCode[],
  at: string,
): { flags: RaisedFlag[]; raised: FlagCode[] } => {
  const kept = before.map((flag): RaisedFlag => {
    const isOpen = open.includes(flag.code)
    if (isOpen === (flag.cured_at === null)) return flag
    return isOpen ? { ...flag, since: at, cured_at: null } : { ...flag, cured_at: at }
  })
  const raised = open.filter((code) => !before.some((flag) => flag.code === code))
  const added = raised.map((code): RaisedFlag => ({ code, since: at, cured_at: null }))
  return { flags: [...kept, ...added], raised }
}

/** The flag to show: the latest one that is not cured, else the latest of all. */
export const shownFlag = (flags: readonly RaisedFlag[]): RaisedFlag | null => {
  const open = flags.filter(({ cured_at }) => cured_at === null)
  const shown = open.length > 0 ? open : flags
  return shown.reduce<RaisedFlag | null>(
    (latest, flag) => (latest === null || flag.since >= latest.since ? flag : latest),
    null,
  )
}

/** The state of an agreement that is not closed. */
export const agreementStatusOf = (
  facts: LoanFacts,
  open: readonly FlagCode[],
): Exclude<AgreementStatus, 'closed'> => {
  if (facts.isFunded && facts.owed === 0n) return 'repaid'
  if (open.length > 0) return 'flagged'
  return facts.isFunded ? 'funded' : 'accepted'
}
