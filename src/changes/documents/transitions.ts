/** Moving an issued document, or a draft, between states (specification 3, domain 2). */
import assert from 'node:assert/strict'
import { withdrawnStates } from '../../contract/conversions.ts'
import {
  type DocumentTypeName,
  type Move,
  type Side,
  paymentTargets,
} from '../../contract/document-types.ts'
import { refuse } from '../../contract/errors.ts'
import type { TransitionRequest } from '../../contract/shapes/documents.ts'
import { consequenceOf } from '../../core/documents/automatic-transitions.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import { decideMove, isIssuing, systemMove } from '../../core/documents/state-machine.ts'
import { factsOf, sideOf } from '../../core/documents/projection.ts'
import { movingState, sharedState } from '../../core/provenance/shared-state.ts'
import type { Rows } from '../../database/rows.ts'
import { type Caller, type Change, actorForBoth, actorForOwnSide } from '../acting-caller.ts'
import { giveBack } from './source-allocations.ts'
import { changeTime } from '../organization-counters.ts'
import { type Telling, appendHistory, tell, todayOf } from '../history-and-events.ts'
import { changeView } from './document-views.ts'

type Document = Rows['documents']

export const notADraft = (document: Document): Error =>
  refuse('conflict', `The document is ${document.status}: only drafts can be edited and issued.`, {
    reason: 'not_draft',
  })

/** The row of the machine that one side asks for; refused with what is legal instead. */
export const legalMove = (
  { caller, world }: Change,
  document: Document,
  side: Side,
  to: string,
): Move => {
  const facts = factsOf(document, todayOf(world, document.issuer_id))
  const decision = decideMove(facts, to, side, caller.canPay)
  if (decision.legal) return decision.move
  if (decision.needsPayScope) {
    throw refuse('insufficient_scope', 'This move executes or cancels a payment.', {
      required_scopes: ['documents:write', 'payments:write'],
      key_scopes: caller.grantedScopes,
    })
  }
  const kind = kindOf(document.type)
  const remedy = isIssuing(facts, to, side)
    ? ` POST /v1/documents/${encodeId('doc', document.id)}/issue makes this move.`
    : document.status === 'payment_scheduled'
      ? ` ${standingOfPayment(facts.paymentStatus, decision.allowed)}`
      : ''
  const isPaying =
    paymentTargets.includes(to) &&
    document.status === 'payment_scheduled' &&
    (facts.paymentStatus === 'created' || facts.paymentStatus === 'processing')
  throw refuse(
    'conflict',
    isPaying
      ? `A payment of this ${kind} is under way: read it until it has settled or failed.`
      : `${article(document.status)} ${document.status} ${kind} cannot move to ${to} from the ${side}'s side.${remedy}`,
    {
      reason: isPaying ? 'payment_in_progress' : 'illegal_transition',
      allowed: decision.allowed,
      from: document.status,
      to,
      side,
    },
  )
}

/** Why a document that is being paid moves nowhere else, and what to do about it. */
const standingOfPayment = (status: string | null, allowed: readonly string[]): string => {
  if (status === 'settled') return 'Its payment has settled: it is paid in a moment.'
  if (status !== 'scheduled') return 'Its payment is under way: wait until it settled or failed.'
  return allowed.includes('approved')
    ? 'Its payment is scheduled: move to approved to call that off first.'
    : 'Its payment is scheduled: only who pays can call that off.'
}

/** A move that pays nothing. */
export const moveDocument = (
  change: Change,
  document: Document,
  side: Side,
  request: TransitionRequest,
): Document => {
  const moved = applyChange(change, document, {
    set: { status: request.to, dispute: disputeAfter(change, document, side, request) },
    reason: reasonOf(request),
  })
  if (withdrawnStates.includes(moved.status)) giveBack(change.world, moved)
  return followUp(change, moved)
}

/** What the service does by itself now that the document has come here. */
export const followUp = (change: Change, document: Document): Document => {
  const to = consequenceOf(document)
  return to === undefined ? document : moveBySystem(change, document, to)
}

/** A row of the machine that nobody can ask for. */
export const moveBySystem = (change: Change, document: Document, to: string): Document => {
  const cause = causeOf(document, to)
  return applyChange(change, document, {
    set: { status: to, dispute: null },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Why the service makes this move; it makes no other. */
export const causeOf = (document: Document, to: string): string | undefined => {
  const move = systemMove(document.type as DocumentTypeName, document.status, to)
  assert(move, `the service moves no ${document.type} from ${document.status} to ${to}`)
  return move.cause
}

/** A type in words. */
const kindOf = (type: string): string => type.replaceAll('_', ' ')

/** Like `an invoice`. */
export const aKind = (type: string): string => `${article(type).toLowerCase()} ${kindOf(type)}`

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'An' : 'A')

/** Moving to disputed opens the dispute; any other move from there closes it. */
const disputeAfter = (
  { world }: Change,
  document: Document,
  side: Side,
  request: TransitionRequest,
): string | null =>
  request.to === 'disputed'
    ? JSON.stringify({
        raised_by: side,
        reason_code: request.reason_code ?? null,
        note: request.note ?? null,
        opened_at: world.now,
        from_status: document.status,
      })
    : null

/** Why a side moved it, in the words that both parties keep in their histories. */
const reasonOf = ({ reason_code, note }: TransitionRequest): object => ({
  ...(reason_code === undefined ? {} : { reason_code }),
  ...(note === undefined ? {} : { note }),
})

export interface Applied {
  /** What is different from now on. */
  set: Partial<Pick<Document, 'status' | 'dispute' | 'amount_credited' | 'children' | 'claimed'>>
  /** Why it happened, where no side asked for it: events tell it. */
  cause?: string
  /** What histories hold besides: the reason of a move, or a link. */
  reason?: object
}

/** A change that both parties learn of as a move, or as an edit where the state stays. */
export const applyChange = (
  change: Change,
  document: Document,
  { set, cause, reason = {} }: Applied,
): Document => {
  const hasMoved = set.status !== undefined && set.status !== document.status
  const telling: Telling = {
    ...(hasMoved
      ? { type: 'document.status_changed', previousStatus: document.status }
      : { type: 'document.edited' }),
    ...(cause === undefined ? {} : { cause }),
  }
  const type = hasMoved ? 'document.status_changed' : 'link.added'
  const history = { type, more: reason }
  return advance(change, document, { set, tellings: [telling], history }).document
}

export interface Step {
  /** What moves in the record. */
  set: Partial<Document>
  /** What the parties are told, in this order; the history is named after the first. */
  tellings: readonly Telling[]
  /** What the history calls it instead, and what more it holds. */
  history?: { type?: string; more?: object }
}

/** The step itself: record, history, events and both list rows; where the parties were told. */
export const advance = (
  change: Change,
  document: Document,
  { set, tellings, history = {} }: Step,
): { document: Document; positions: Record<Side, bigint> } => {
  const { world, caller } = change
  const isShared = document.issued_at !== null
  const parties = isShared ? [document.issuer_id, document.counterparty_id] : [document.issuer_id]
  const moved: Document = {
    ...document,
    ...set,
    revision: document.revision + 1,
    updated_at: changeTime(world, parties),
  }
  const type = history.type ?? tellings[0]!.type
  let told = appendHistory(
    change,
    moved,
    isShared
      ? sharedChange(caller, document, moved, { type, ...history.more })
      : {
          shared: null,
          issuer: {
            type: 'document.status_changed',
            actor: { ...actorForBoth(caller.actor), ...actorForOwnSide(caller.actor) },
            set: { status: moved.status },
            ...history.more,
          },
          counterparty: null,
        },
  )
  const positions: Record<Side, bigint> = { issuer: 0n, counterparty: 0n }
  for (const telling of tellings) {
    for (const side of isShared ? bothSides : bothSides.slice(0, 1)) {
      const { document: counted, position } = tell(change, told, side, telling)
      told = counted
      positions[side] ||= position
    }
  }
  const saved: Document = { ...moved, ...told }
  world.save('documents', saved)
  changeView(world, saved, 'issuer')
  if (isShared) changeView(world, saved, 'counterparty')
  return { document: saved, positions }
}

const bothSides: readonly Side[] = ['issuer', 'counterparty']

const sharedChange = (caller: Caller, before: Document, after: Document, head: object) => {
  const old = movingState(before)
  const set = Object.fromEntries(
    Object.entries(movingState(after)).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(old[field]),
    ),
  )
  const { actor } = caller
  const actsAs = actor.kind === 'system' ? undefined : sideOf(after, actor.organization_id)
  const own = actorForOwnSide(actor)
  return {
    shared: {
      ...head,
      actor: actorForBoth(actor),
      set,
      state: stateDigest(sharedState(after)),
    },
    issuer: actsAs === 'issuer' ? { actor: own } : null,
    counterparty: actsAs === 'counterparty' ? { actor: own } : null,
  }
}
