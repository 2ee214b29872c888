/**
 * The one reader of the state machine tables: which moves are legal for a side, here and now
 * (domain 0 and 2). `allowed` keeps the order of the rows.
 */
import {
  type DocumentTypeName,
  type Guard,
  type Move,
  type Side,
  documentTypes,
  phaseOf,
} from '../../contract/document-types.ts'

/** What the guards look at. */
export interface Facts {
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
  isOver: boolean
}

const guards: Record<Guard, (facts: Facts) => boolean> = {
  free_of_credits_and_pledges: (facts) => facts.amountCredited === 0n && !facts.isPledged,
  nothing_of_it_applied: (facts) => facts.amountCredited === 0n,
  payment_is_scheduled: (facts) => facts.paymentStatus === 'scheduled',
  payment_is_scheduled_or_settled: (facts) =>
    facts.paymentStatus === 'scheduled' || facts.paymentStatus === 'settled',
  no_issued_child: (facts) => !facts.hasIssuedChild,
  not_past_its_last_day: (facts) => !facts.isPastLastDay,
}

const mayMake = (move: Move, facts: Facts, side: Side): boolean =>
  move.by === side || (move.by === 'raiser' && facts.disputeRaisedBy === side)

const movesOf = (type: DocumentTypeName): readonly Move[] => documentTypes[type].moves

/** The rows that are open to this side now; /issue is a path of its own, never a transition. */
const openMoves = (facts: Facts, side: Side, canPay: boolean): Move[] =>
  movesOf(facts.type).filter(
    (move) =>
      !facts.isOver &&
      move.from === facts.status &&
      !move.issues &&
      mayMake(move, facts, side) &&
      (canPay || !move.pays) &&
      (move.guard === undefined || guards[move.guard](facts)),
  )

/** The legal targets of a transition, for a caller with or without payments:write. */
export const legalTargets = (facts: Facts, side: Side, canPay: boolean): string[] =>
  legalMoves(facts, side, canPay).map((move) => move.to)

/** The rows behind the legal targets, one for each. */
export const legalMoves = (facts: Facts, side: Side, canPay: boolean): Move[] =>
  openMoves(facts, side, canPay).filter(
    (move, i, all) => all.findIndex((other) => other.to === move.to) === i,
  )

/** The service's own row from here to there: nobody can ask for it. */
export const systemMove = (type: DocumentTypeName, from: string, to: string): Move | undefined =>
  movesOf(type).find((move) => move.by === 'system' && move.from === from && move.to === to)

/** Whose turn it is: the side that has to decide or to do something next. */
export const waitingOn = (facts: Facts): Side | 'none' => {
  if (facts.isOver) return 'none'
  const { payer, createdBy } = documentTypes[facts.type]
  const phase = phaseOf(facts.status)
  if (phase === 'draft') return 'issuer'
  if (phase === 'pending') return createdBy === 'api' ? 'counterparty' : 'none'
  if (facts.status === 'approved') return payer ?? 'none'
  if (facts.status !== 'disputed' || facts.disputeRaisedBy === null) return 'none'
  return facts.disputeRaisedBy === 'issuer' ? 'counterparty' : 'issuer'
}

/** The move that only POST /issue makes. */
export const isIssuing = ({ type, status }: Facts, to: string, side: Side): boolean =>
  movesOf(type).some(
    (move) => move.issues === true && move.from === status && move.to === to && move.by === side,
  )

export type MoveDecision =
  | { legal: true; move: Move }
  /** `needsPayScope`: the row exists for this side, but executes a payment the key may not make. */
  | { legal: false; allowed: string[]; needsPayScope: boolean }

export const decideMove = (facts: Facts, to: string, side: Side, canPay: boolean): MoveDecision => {
  const move = openMoves(facts, side, canPay).find((open) => open.to === to)
  if (move !== undefined) return { legal: true, move }
  return {
    legal: false,
    allowed: legalTargets(facts, side, canPay),
    needsPayScope: !canPay && openMoves(facts, side, true).some((open) => open.to === to),
  }
}
