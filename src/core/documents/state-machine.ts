/**
 * The one reader of the state machine tables: which moves are legal for a side, here and now
 * (domain 0 and 2). `allowed` keeps the order of the rows.
 */
import {
  type DocumentTypeName,
  type TransitionGuard,
  type TransitionRule,
  type Side,
  documentTypes,
  phaseOf,
} from '../../contract/document-types.ts'

/** What the guards look at. */
export interface TransitionFacts {
  type: DocumentTypeName
  status: string
  amountCredited: bigint
  /** The side that opened the dispute, if one is open. */
  disputeRaisedBy: Side | null
  isPledged: boolean
  hasIssuedChild: boolean
  /** The last day of an offer is over, whether or not the service has expired it yet. */
  isPastLastDay: boolean
  /** Status of the active or last payment. */
  paymentStatus: string | null
  /** The other party has started its sandbox over: nobody moves it any more. */
  isFrozen: boolean
}

const guards: Record<TransitionGuard, (facts: TransitionFacts) => boolean> = {
  free_of_credits_and_pledges: (facts) => facts.amountCredited === 0n && !facts.isPledged,
  nothing_of_it_applied: (facts) => facts.amountCredited === 0n,
  payment_is_scheduled: (facts) => facts.paymentStatus === 'scheduled',
  payment_is_scheduled_or_settled: (facts) =>
    facts.paymentStatus === 'scheduled' || facts.paymentStatus === 'settled',
  no_issued_child: (facts) => !facts.hasIssuedChild,
  not_past_its_last_day: (facts) => !facts.isPastLastDay,
}

const isOpenTo = (move: TransitionRule, facts: TransitionFacts, side: Side): boolean =>
  move.by === side || (move.by === 'raiser' && facts.disputeRaisedBy === side)

const rulesFor = (type: DocumentTypeName): readonly TransitionRule[] =>
  documentTypes[type].transitions

/** The rows that are open to this side now; /issue is a path of its own, never a transition. */
const openTransitions = (facts: TransitionFacts, side: Side, canPay: boolean): TransitionRule[] =>
  rulesFor(facts.type).filter(
    (move) =>
      !facts.isFrozen &&
      move.from === facts.status &&
      !move.isIssue &&
      isOpenTo(move, facts, side) &&
      (canPay || !move.affectsPayment) &&
      (move.guard === undefined || guards[move.guard](facts)),
  )

/** The legal targets of a transition, for a caller with or without payments:write. */
export const legalTargets = (facts: TransitionFacts, side: Side, canPay: boolean): string[] =>
  legalTransitions(facts, side, canPay).map((move) => move.to)

/** The rows behind the legal targets, one for each. */
export const legalTransitions = (
  facts: TransitionFacts,
  side: Side,
  canPay: boolean,
): TransitionRule[] =>
  openTransitions(facts, side, canPay).filter(
    (move, i, all) => all.findIndex((other) => other.to === move.to) === i,
  )

/** The service's own row from here to there: nobody can ask for it. */
export const systemTransition = (
  type: DocumentTypeName,
  from: string,
  to: string,
): TransitionRule | undefined =>
  rulesFor(type).find((move) => move.by === 'system' && move.from === from && move.to === to)

/** Whose turn it is: the side that has to decide or to do something next. */
export const waitingOn = (facts: TransitionFacts): Side | 'none' => {
  if (facts.isFrozen) return 'none'
  const { payer, createdBy } = documentTypes[facts.type]
  const phase = phaseOf(facts.status)
  if (phase === 'draft') return 'issuer'
  if (phase === 'pending') return createdBy === 'api' ? 'counterparty' : 'none'
  if (facts.status === 'approved') return payer ?? 'none'
  if (facts.status !== 'disputed' || facts.disputeRaisedBy === null) return 'none'
  return facts.disputeRaisedBy === 'issuer' ? 'counterparty' : 'issuer'
}

/** The move that only POST /issue makes. */
export const isIssueTransition = (
  { type, status }: TransitionFacts,
  to: string,
  side: Side,
): boolean =>
  rulesFor(type).some(
    (move) => move.isIssue === true && move.from === status && move.to === to && move.by === side,
  )

export type TransitionDecision =
  | { legal: true; rule: TransitionRule }
  /** `needsPayScope`: the row exists for this side, but executes a payment the key may not make. */
  | { legal: false; allowed: string[]; needsPaymentScope: boolean }

export const decideTransition = (
  facts: TransitionFacts,
  to: string,
  side: Side,
  canPay: boolean,
): TransitionDecision => {
  const rule = openTransitions(facts, side, canPay).find((open) => open.to === to)
  if (rule !== undefined) return { legal: true, rule }
  return {
    legal: false,
    allowed: legalTargets(facts, side, canPay),
    needsPaymentScope: !canPay && openTransitions(facts, side, true).some((open) => open.to === to),
  }
}
