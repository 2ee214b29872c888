/**
 * The flags of a loan (domain 5.4). They follow from the state of its documents and not from the
 * order of events. A flag that was raised is part of that state: some stay until everything is
 * repaid.
 */
import {
  type FlagCode,
  everythingIsRepaid,
  flagCodeNames,
  flagCodes,
} from '../../contract/finance-states.ts'
import type { LoanFacts } from './loan-state.ts'

/** One entry per code that was ever raised. */
export interface RaisedFlag {
  code: FlagCode
  since: string
  cured_at: string | null
}

/** The flags that are raised now, or were before and are not cured by their own rule. */
export const openFlags = (facts: LoanFacts, before: readonly RaisedFlag[]): FlagCode[] =>
  flagCodeNames.filter(
    (code) => causes[code](facts) || (unpaidOf(facts) > 0n && staysUntilRepaid(code, before)),
  )

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

/** Whether a flag is raised that makes the lender decide again about a scheduled disbursement. */
export const stopsFunding = (before: readonly RaisedFlag[], open: readonly FlagCode[]): boolean =>
  collateralFlags.some(
    (code) =>
      open.includes(code) && !before.some((flag) => flag.code === code && flag.cured_at === null),
  )

const collateralFlags: readonly FlagCode[] = ['collateral_disputed', 'collateral_diluted']

/** The flag to show: the latest one that is not cured, else the latest of all. */
export const shownFlag = (flags: readonly RaisedFlag[]): RaisedFlag | null => {
  const open = flags.filter(({ cured_at }) => cured_at === null)
  const shown = open.length > 0 ? open : flags
  return shown.reduce<RaisedFlag | null>(
    (latest, flag) => (latest === null || flag.since >= latest.since ? flag : latest),
    null,
  )
}

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

const isWithdrawn = (status: string): boolean => status === 'rejected' || status === 'cancelled'

const unpaidOf = ({ isFunded, owed, toBeOwed }: LoanFacts): bigint => (isFunded ? owed : toBeOwed)

/** Something is owed, or will be. */
const isOutstanding = ({ isFunded, owed }: LoanFacts): boolean => !isFunded || owed > 0n

const hasFailedSweep = ({ lastRepayment }: LoanFacts): boolean =>
  lastRepayment?.kind === 'sweep' && lastRepayment.status === 'failed'

const staysUntilRepaid = (code: FlagCode, before: readonly RaisedFlag[]): boolean =>
  flagCodes[code].cure === everythingIsRepaid &&
  before.some((flag) => flag.code === code && flag.cured_at === null)
