/**
 * The state machine (domain 0 and 2): decides from the tables which transitions are legal for a
 * side. `allowed` lists them in table order.
 */
import { phaseOf } from '../../contract/document-phases.ts'
import {
  type DocumentTypeName,
  type Side,
  type TransitionGuard,
  type TransitionRule,
  documentTypes,
  otherSideOf,
} from '../../contract/document-types.ts'
import { limits } from '../../contract/limits.ts'
import { awaitsFunding, isEncumbered } from '../finance/document-finance.ts'
import { parsePayment } from '../payments/payment-record.ts'
import type { DocumentRecord } from './document-record.ts'

/** The facts that decide whether a transition is legal. */
export interface TransitionFacts {
  type: DocumentTypeName
  status: string
  amountCredited: bigint
  /** The side that opened the dispute, if one is open. */
  disputeRaisedBy: Side | null
  /** Listed for a loan, or pledged. */
  isEncumbered: boolean
  hasIssuedChild: boolean
  /** `valid_until` has passed, whether or not the service has expired the offer yet. */
  isPastLastDay: boolean
  /** Status of the latest payment. */
  paymentStatus: string | null
  /** A repayment of which the disbursement was returned. */
  awaitsFunding: boolean
  /** One party has reset its sandbox, so the document no longer changes. */
  isFrozen: boolean
  /** It has changed so often that it takes no change that can be repeated. */
  isRepeated: boolean
}

/**
 * Whether a document has changed as often as it may (docs/decisions/0261). What is issued is
 * counted by what its counterparty was told, so no edit of the draft takes a dispute away from it.
 */
export const hasChangedTooOften = ({
  issued_at,
  head_seq,
  counterparty_events,
}: Pick<DocumentRecord, 'issued_at' | 'head_seq' | 'counterparty_events'>): boolean =>
  (issued_at === null ? head_seq : counterparty_events) >= limits.changesPerDocumentMax

export const transitionFactsOf = (
  document: Pick<
    DocumentRecord,
    | 'type'
    | 'status'
    | 'amount_credited'
    | 'dispute'
    | 'derived_count'
    | 'payment'
    | 'finance'
    | 'valid_until'
    | 'is_frozen'
    | 'issued_at'
    | 'head_seq'
    | 'counterparty_events'
  >,
  issuerToday: string,
): TransitionFacts => ({
  type: document.type as DocumentTypeName,
  status: document.status,
  amountCredited: document.amount_credited,
  disputeRaisedBy:
    document.dispute === null
      ? null
      : (JSON.parse(document.dispute) as { raised_by: Side }).raised_by,
  isEncumbered: isEncumbered(document),
  awaitsFunding: awaitsFunding(document),
  hasIssuedChild: document.derived_count > 0,
  isPastLastDay: document.valid_until !== null && document.valid_until < issuerToday,
  paymentStatus: document.payment === null ? null : parsePayment(document.payment).status,
  isFrozen: document.is_frozen,
  isRepeated: hasChangedTooOften(document),
})

const guards: Record<TransitionGuard, (facts: TransitionFacts) => boolean> = {
  free_of_credits_and_pledges: (facts) => facts.amountCredited === 0n && !facts.isEncumbered,
  nothing_of_it_applied: (facts) => facts.amountCredited === 0n,
  payment_is_scheduled: (facts) => facts.paymentStatus === 'scheduled',
  payment_is_scheduled_or_settled: (facts) =>
    facts.paymentStatus === 'scheduled' || facts.paymentStatus === 'settled',
  no_issued_child: (facts) => !facts.hasIssuedChild,
  not_past_its_last_day: (facts) => !facts.isPastLastDay,
}

const isOpenTo = (rule: TransitionRule, facts: TransitionFacts, side: Side): boolean =>
  rule.by === side || (rule.by === 'raiser' && facts.disputeRaisedBy === side)

const rulesFor = (type: DocumentTypeName): readonly TransitionRule[] =>
  documentTypes[type].transitions

/** Who makes a move: one side of the document, with or without the right to pay. */
export interface Mover {
  side: Side
  canPay: boolean
}

/** The rows that this side may use now, except those that only POST /issue makes. */
const openTransitions = (facts: TransitionFacts, { side, canPay }: Mover): TransitionRule[] =>
  rulesFor(facts.type).filter(
    (rule) =>
      !facts.isFrozen &&
      rule.from === facts.status &&
      !rule.isIssue &&
      isOpenTo(rule, facts, side) &&
      (canPay || !rule.affectsPayment) &&
      !(facts.awaitsFunding && rule.affectsPayment) &&
      (rule.guard === undefined || guards[rule.guard](facts)),
  )

/** The legal targets of a transition. */
export const legalTargets = (facts: TransitionFacts, by: Mover): string[] =>
  legalTransitions(facts, by).map((rule) => rule.to)

/**
 * The first matching row of each legal target. A dispute too many is refused for that, and not as
 * an illegal move; a payment that is not scheduled for later is never one too many.
 */
export const legalTransitions = (facts: TransitionFacts, by: Mover): TransitionRule[] =>
  openTransitions(facts, by).filter(
    (rule, i, all) =>
      all.findIndex((other) => other.to === rule.to) === i &&
      !(facts.isRepeated && rule.to === 'disputed'),
  )

/** The row that lets the service itself make this transition. */
export const systemTransition = (
  type: DocumentTypeName,
  from: string,
  to: string,
): TransitionRule | undefined =>
  rulesFor(type).find((rule) => rule.by === 'system' && rule.from === from && rule.to === to)

/** The side that has to act next. */
export const waitingOn = (facts: TransitionFacts): Side | 'none' => {
  if (facts.isFrozen || facts.awaitsFunding) return 'none'
  const { payer, createdBy } = documentTypes[facts.type]
  const phase = phaseOf(facts.status)
  if (phase === 'draft') return 'issuer'
  if (phase === 'pending') return createdBy === 'api' ? 'counterparty' : 'none'
  if (facts.status === 'approved') return payer ?? 'none'
  if (facts.status !== 'disputed' || facts.disputeRaisedBy === null) return 'none'
  return otherSideOf(facts.disputeRaisedBy)
}

/** Whether this is the transition that only POST /issue makes. */
export const isIssueTransition = (
  { type, status }: TransitionFacts,
  to: string,
  side: Side,
): boolean =>
  rulesFor(type).some(
    (rule) => rule.isIssue === true && rule.from === status && rule.to === to && rule.by === side,
  )

export type TransitionDecision =
  | { legal: true; rule: TransitionRule }
  /** `needsPaymentScope`: the transition would be legal with payments:write. */
  | { legal: false; allowed: string[]; needsPaymentScope: boolean }

export const decideTransition = (
  facts: TransitionFacts,
  to: string,
  by: Mover,
): TransitionDecision => {
  const ruleFor = (mover: Mover) => openTransitions(facts, mover).find((open) => open.to === to)
  const rule = ruleFor(by)
  if (rule !== undefined) return { legal: true, rule }
  return {
    legal: false,
    allowed: legalTargets(facts, by),
    needsPaymentScope: !by.canPay && ruleFor({ ...by, canPay: true }) !== undefined,
  }
}
