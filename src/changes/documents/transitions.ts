/** Moving an issued document, or a draft, between states (specification 3, domain 2). */
import assert from 'node:assert/strict'
import { withdrawnStates } from '../../contract/conversions.ts'
import {
  type DocumentTypeName,
  type TransitionRule,
  type Side,
  paymentTargets,
} from '../../contract/document-types.ts'
import { refuse } from '../../contract/errors.ts'
import type { TransitionRequest } from '../../contract/shapes/documents.ts'
import { automaticTargetOf } from '../../core/documents/automatic-transitions.ts'
import { stateDigest } from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import {
  decideTransition,
  isIssueTransition,
  systemTransition,
} from '../../core/documents/state-machine.ts'
import { transitionFactsOf, sideOf } from '../../core/documents/projection.ts'
import { mutableState, sharedState } from '../../core/provenance/shared-state.ts'
import type { Rows } from '../../database/rows.ts'
import {
  type ActingCaller,
  type ChangeContext,
  actorForBoth,
  actorForOwnSide,
} from '../change-context.ts'
import { releaseAllocations } from './source-allocations.ts'
import { changeTime } from '../organization-counters.ts'
import { type EventDraft, appendHistory, emitEvent, todayOf } from '../history-and-events.ts'
import { updateView } from './document-views.ts'

type Document = Rows['documents']

export const notADraft = (document: Document): Error =>
  refuse('conflict', `The document is ${document.status}: only drafts can be edited and issued.`, {
    reason: 'not_draft',
  })

/** The row of the machine that one side asks for; refused with what is legal instead. */
export const legalMove = (
  { caller, unit }: ChangeContext,
  document: Document,
  side: Side,
  to: string,
): TransitionRule => {
  const facts = transitionFactsOf(document, todayOf(unit, document.issuer_id))
  const decision = decideTransition(facts, to, side, caller.canPay)
  if (decision.legal) return decision.rule
  if (decision.needsPaymentScope) {
    throw refuse('insufficient_scope', 'This move executes or cancels a payment.', {
      required_scopes: ['documents:write', 'payments:write'],
      key_scopes: caller.grantedScopes,
    })
  }
  const kind = typeName(document.type)
  const remedy = isIssueTransition(facts, to, side)
    ? ` POST /v1/documents/${encodeId('doc', document.id)}/issue makes this move.`
    : document.status === 'payment_scheduled'
      ? ` ${paymentRemedy(facts.paymentStatus, decision.allowed)}`
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
const paymentRemedy = (status: string | null, allowed: readonly string[]): string => {
  if (status === 'settled') return 'Its payment has settled: it is paid in a moment.'
  if (status !== 'scheduled') return 'Its payment is under way: wait until it settled or failed.'
  return allowed.includes('approved')
    ? 'Its payment is scheduled: move to approved to call that off first.'
    : 'Its payment is scheduled: only who pays can call that off.'
}

/** A move that pays nothing. */
export const moveWithoutPayment = (
  change: ChangeContext,
  document: Document,
  side: Side,
  request: TransitionRequest,
): Document => {
  const moved = applyDocumentChange(change, document, {
    set: { status: request.to, dispute: disputeAfter(change, document, side, request) },
    reason: reasonOf(request),
  })
  if (withdrawnStates.includes(moved.status)) releaseAllocations(change.unit, moved)
  return applyAutomaticTransition(change, moved)
}

/** What the service does by itself now that the document has come here. */
export const applyAutomaticTransition = (change: ChangeContext, document: Document): Document => {
  const to = automaticTargetOf(document)
  return to === undefined ? document : moveAsSystem(change, document, to)
}

/** A row of the machine that nobody can ask for. */
export const moveAsSystem = (change: ChangeContext, document: Document, to: string): Document => {
  const cause = systemCauseOf(document, to)
  return applyDocumentChange(change, document, {
    set: { status: to, dispute: null },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Why the service makes this move; it makes no other. */
export const systemCauseOf = (document: Document, to: string): string | undefined => {
  const move = systemTransition(document.type as DocumentTypeName, document.status, to)
  assert(move, `the service moves no ${document.type} from ${document.status} to ${to}`)
  return move.cause
}

/** A type in words. */
const typeName = (type: string): string => type.replaceAll('_', ' ')

/** Like `an invoice`. */
export const typeWithArticle = (type: string): string =>
  `${article(type).toLowerCase()} ${typeName(type)}`

const article = (word: string): string => (/^[aeiou]/.test(word) ? 'An' : 'A')

/** Moving to disputed opens the dispute; any other move from there closes it. */
const disputeAfter = (
  { unit }: ChangeContext,
  document: Document,
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

/** Why a side moved it, in the words that both parties keep in their histories. */
const reasonOf = ({ reason_code, note }: TransitionRequest): object => ({
  ...(reason_code === undefined ? {} : { reason_code }),
  ...(note === undefined ? {} : { note }),
})

export interface DocumentChange {
  /** What is different from now on. */
  set: Partial<
    Pick<Document, 'status' | 'dispute' | 'amount_credited' | 'derived_count' | 'derived_amount'>
  >
  /** Why it happened, where no side asked for it: events tell it. */
  cause?: string
  /** What histories hold besides: the reason of a move, or a link. */
  reason?: object
}

/** A change that both parties learn of as a move, or as an edit where the state stays. */
export const applyDocumentChange = (
  change: ChangeContext,
  document: Document,
  { set, cause, reason = {} }: DocumentChange,
): Document => {
  const hasMoved = set.status !== undefined && set.status !== document.status
  const event: EventDraft = {
    ...(hasMoved
      ? { type: 'document.status_changed', previousStatus: document.status }
      : { type: 'document.edited' }),
    ...(cause === undefined ? {} : { cause }),
  }
  const type = hasMoved ? 'document.status_changed' : 'link.added'
  const history = { type, more: reason }
  return applyStep(change, document, { set, events: [event], history }).document
}

export interface DocumentStep {
  /** What moves in the record. */
  set: Partial<Document>
  /** What the parties are told, in this order; the history is named after the first. */
  events: readonly EventDraft[]
  /** What the history calls it instead, and what more it holds. */
  history?: { type?: string; more?: object }
}

/** The step itself: record, history, events and both list rows; where the parties were told. */
export const applyStep = (
  change: ChangeContext,
  document: Document,
  { set, events, history = {} }: DocumentStep,
): { document: Document; positions: Record<Side, bigint> } => {
  const { unit, caller } = change
  const isShared = document.issued_at !== null
  const parties = isShared ? [document.issuer_id, document.counterparty_id] : [document.issuer_id]
  const moved: Document = {
    ...document,
    ...set,
    revision: document.revision + 1,
    updated_at: changeTime(unit, parties),
  }
  const type = history.type ?? events[0]!.type
  let recorded = appendHistory(
    change,
    moved,
    isShared
      ? sharedSlots(caller, document, moved, { type, ...history.more })
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
  for (const event of events) {
    for (const side of isShared ? bothSides : bothSides.slice(0, 1)) {
      const { document: counted, position } = emitEvent(change, recorded, side, event)
      recorded = counted
      positions[side] ||= position
    }
  }
  const saved: Document = { ...moved, ...recorded }
  unit.save('documents', saved)
  updateView(unit, saved, 'issuer')
  if (isShared) updateView(unit, saved, 'counterparty')
  return { document: saved, positions }
}

const bothSides: readonly Side[] = ['issuer', 'counterparty']

const sharedSlots = (caller: ActingCaller, before: Document, after: Document, head: object) => {
  const old = mutableState(before)
  const set = Object.fromEntries(
    Object.entries(mutableState(after)).filter(
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
