/** Moves documents between states (specification 3, domain 2). */
import assert from 'node:assert/strict'
import { withdrawnStates } from '../../contract/conversions.ts'
import {
  type DocumentTypeName,
  type TransitionRule,
  type Side,
  paymentTargets,
} from '../../contract/document-types.ts'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { TransitionRequest } from '../../contract/shapes/documents.ts'
import { automaticTargetOf } from '../../core/documents/automatic-transitions.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import {
  decideTransition,
  hasChangedTooOften,
  isIssueTransition,
  systemTransition,
  transitionFactsOf,
} from '../../core/documents/state-machine.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import { isUnderWay } from '../../core/payments/payment-record.ts'
import { mutableState, sharedState } from '../../core/provenance/shared-state.ts'
import { joinedByOr } from '../../core/listed-words.ts'
import {
  type ActingCaller,
  type ChangeContext,
  type DocumentRow,
  actorForBoth,
  actorForOwnSide,
  draftSlots,
} from '../change-context.ts'
import { viewersOf } from './document-access.ts'
import { releaseAllocations } from './source-allocations.ts'
import { changeTime } from '../organization-counters.ts'
import { updateView } from './document-views.ts'
import { type EventDraft, emitEvents } from '../events.ts'
import { appendHistory } from '../history.ts'
import { todayOf } from '../organization-clock.ts'
import { article, typeName } from '../../core/documents/type-names.ts'

export const notADraft = (document: DocumentRow): Error =>
  refuse('conflict', `The document is ${document.status}: only drafts can be edited and issued.`, {
    reason: 'not_draft',
  })

/**
 * Reads verify all of a history, so the changes that cost nothing to repeat end somewhere. Whatever
 * brings the document to its end remains possible.
 */
export const checkIsNotRepeated = (document: DocumentRow): void => {
  if (!hasChangedTooOften(document)) return
  const { changesPerDocumentMax: limit } = limits
  throw refuse(
    'conflict',
    `The document has changed ${limit} times: it takes no further edit, dispute or scheduled payment. It can still be issued, answered, paid or withdrawn.`,
    { reason: 'too_many_changes', limit },
  )
}

/**
 * Payments that fail and loans that are withdrawn can be repeated as well. Far more of them than
 * any business needs keep only further ones from being begun here (docs/decisions/0285).
 */
export const checkTakesMore = (events: number, what: 'payment' | 'listing'): void => {
  const { eventsOfDocumentMax: limit } = limits
  if (events < limit) return
  throw refuse(
    'conflict',
    `The history of the document has ${limit} events or more: it takes no further ${what}. Settle it outside of the service, or have it credited.`,
    { reason: 'too_many_changes', limit },
  )
}

/** The rule of a requested move; an illegal move is refused with the legal ones. */
export const legalMove = (
  { caller, unit }: ChangeContext,
  document: DocumentRow,
  side: Side,
  to: string,
): TransitionRule => {
  const facts = transitionFactsOf(document, todayOf(unit, document.issuer_id))
  const decision = decideTransition(facts, to, { side, canPay: caller.canPay })
  if (decision.legal) return decision.rule
  if (decision.needsPaymentScope) {
    throw refuse('insufficient_scope', 'This move executes or cancels a payment.', {
      required_scopes: ['documents:write', 'payments:write'],
      key_scopes: caller.grantedScopes,
    })
  }
  const { type, status } = document
  const { allowed } = decision
  const details = { allowed, from: status, to, side }
  const kind = typeName(type)
  const { paymentStatus } = facts
  const isUnderPayment =
    status === 'payment_scheduled' && paymentStatus !== null && isUnderWay(paymentStatus)
  if (isUnderPayment && paymentTargets.includes(to)) {
    const message = `A payment of this ${kind} is under way: wait until it has settled or failed.`
    throw refuse('conflict', message, { reason: 'payment_in_progress', ...details })
  }
  const remedy = isIssueTransition(facts, to, side)
    ? `POST /v1/documents/${encodeId('doc', document.id)}/issue makes this move.`
    : remedyFor(status, paymentStatus, allowed)
  throw refuse(
    'conflict',
    `${article(status)} ${status} ${kind} cannot move to ${to} from the ${side}'s side. ${remedy}`,
    { reason: 'illegal_transition', ...details },
  )
}

const remedyFor = (
  status: string,
  paymentStatus: string | null,
  allowed: readonly string[],
): string =>
  status === 'payment_scheduled' ? paymentRemedy(paymentStatus, allowed) : movesText(allowed)

const movesText = (allowed: readonly string[]): string =>
  allowed.length === 0
    ? 'No move is open to this side now.'
    : `This side can move it to ${joinedByOr(allowed)}.`

/** Why a document that is being paid cannot move, and what the caller can do. */
const paymentRemedy = (status: string | null, allowed: readonly string[]): string => {
  if (status === 'settled') return 'Its payment has settled, so it becomes paid in a moment.'
  if (status !== 'scheduled')
    return 'Its payment is under way: wait until it has settled or failed.'
  return allowed.includes('approved')
    ? 'Its payment is scheduled: move to approved to cancel it first.'
    : 'Its payment is scheduled: only the payer can cancel it.'
}

export const moveWithoutPayment = (
  change: ChangeContext,
  document: DocumentRow,
  side: Side,
  request: TransitionRequest,
): DocumentRow => {
  const moved = applyDocumentChange(change, document, {
    set: { status: request.to, dispute: disputeAfter(change, document, side, request) },
    more: reasonOf(request),
  })
  if (withdrawnStates.includes(moved.status)) releaseAllocations(change.unit, moved)
  return applyAutomaticTransition(change, moved)
}

/** Makes the move that the document's new state triggers by itself, if any. */
export const applyAutomaticTransition = (
  change: ChangeContext,
  document: DocumentRow,
): DocumentRow => {
  const to = automaticTargetOf(document)
  return to === undefined ? document : moveAsSystem(change, document, to)
}

/** Makes a move that no party can request. */
export const moveAsSystem = (
  change: ChangeContext,
  document: DocumentRow,
  to: string,
): DocumentRow =>
  applyDocumentChange(change, document, {
    set: { status: to, dispute: null },
    cause: systemCauseOf(document, to),
  })

/** The cause of a system move; asserts that the state machine has such a move. */
export const systemCauseOf = (document: DocumentRow, to: string): string | undefined => {
  const move = systemTransition(document.type as DocumentTypeName, document.status, to)
  assert(move, `the service never moves a ${document.type} from ${document.status} to ${to}`)
  return move.cause
}

/** Moving to disputed opens the dispute; any other move from there closes it. */
const disputeAfter = (
  { unit }: ChangeContext,
  document: DocumentRow,
  side: Side,
  request: TransitionRequest,
): string | null =>
  request.to === 'disputed'
    ? JSON.stringify({
        raised_by: side,
        reason_code: request.reason_code ?? null,
        note: request.note ?? null,
        opened_at: unit.now,
        from_status: document.status,
      })
    : null

/** The reason of a move, as both histories record it. */
const reasonOf = ({ reason_code, note }: TransitionRequest): object => ({
  ...(reason_code === undefined ? {} : { reason_code }),
  ...(note === undefined ? {} : { note }),
})

export interface DocumentChange {
  /** The changed columns. */
  set: Partial<
    Pick<DocumentRow, 'status' | 'dispute' | 'amount_credited' | 'derived_count' | 'derived_amount'>
  >
  /** Why the service made the change by itself, for events. */
  cause?: string | undefined
  /** Further fields of the history event: the reason of a move, or a link. */
  more?: object
}

/** Applies a change; events show it as a move, or as an edit if the state stays the same. */
export const applyDocumentChange = (
  change: ChangeContext,
  document: DocumentRow,
  { set, cause, more = {} }: DocumentChange,
): DocumentRow => {
  const hasMoved = set.status !== undefined && set.status !== document.status
  const event: EventDraft = hasMoved
    ? { type: 'document.status_changed', previousStatus: document.status, cause }
    : { type: 'document.edited', cause }
  const type = hasMoved ? 'document.status_changed' : 'link.added'
  const history = { type, more }
  return applyStep(change, document, { set, events: [event], history }).document
}

export interface DocumentStep {
  /** The changed columns. */
  set: Partial<DocumentRow>
  /** Emitted to each party in this order; the history event takes its type from the first. */
  events: readonly EventDraft[]
  /** Another type for the history event, and further fields. */
  history?: { type?: string; more?: object }
}

/**
 * Writes the record, history, events and list rows; returns the feed positions of the step. A party
 * that has reset its sandbox has no list row of the document and learns nothing of it.
 */
export const applyStep = (
  change: ChangeContext,
  document: DocumentRow,
  { set, events, history = {} }: DocumentStep,
): { document: DocumentRow; positions: Record<Side, bigint> } => {
  const { unit, caller } = change
  const isShared = document.issued_at !== null
  const parties = isShared ? [document.issuer_id, document.counterparty_id] : [document.issuer_id]
  const viewers = viewersOf(unit, document)
  const moved: DocumentRow = {
    ...document,
    ...set,
    revision: document.revision + 1,
    updated_at: changeTime(unit, parties),
  }
  const type = history.type ?? events[0]!.type
  const recorded = appendHistory(
    change,
    moved,
    isShared
      ? sharedSlots(caller, document, moved, { type, ...history.more })
      : draftSlots(caller.actor, { type, set: { status: moved.status }, ...history.more }),
  )
  const { document: counted, positions } = emitEvents(change, recorded, viewers, events)
  const saved: DocumentRow = { ...moved, ...counted }
  unit.save('documents', saved)
  for (const side of viewers) updateView(unit, saved, side)
  return { document: saved, positions }
}

const sharedSlots = (
  caller: ActingCaller,
  before: DocumentRow,
  after: DocumentRow,
  head: object,
) => {
  const old = mutableState(before)
  const now = mutableState(after)
  const set = Object.fromEntries(
    Object.entries(now).filter(
      ([field, value]) =>
        value !== old[field] && JSON.stringify(value) !== JSON.stringify(old[field]),
    ),
  )
  const { actor } = caller
  const actingSide = actor.kind === 'system' ? undefined : sideOf(after, actor.organization_id)
  const ownActor = actorForOwnSide(actor)
  const state = stateDigest(sharedState(after, now))
  return {
    shared: { ...head, actor: actorForBoth(actor), set, state },
    issuer: actingSide === 'issuer' ? { actor: ownActor } : null,
    counterparty: actingSide === 'counterparty' ? { actor: ownActor } : null,
  }
}
