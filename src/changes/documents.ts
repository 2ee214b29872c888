/** Issuing a draft and moving a document between states (specification 3, domain 2). */
import { notFound, refuse } from '../contract/errors.ts'
import {
  type DocumentTypeName,
  type Move,
  type Side,
  documentTypes,
  paymentTargets,
} from '../contract/document-types.ts'
import type { TransitionRequest } from '../contract/shapes/documents.ts'
import { changeContent, readContent } from '../core/content.ts'
import { stateDigest } from '../core/history.ts'
import { encodeId } from '../core/ids.ts'
import { haveOneOwner, isolated } from './isolation.ts'
import { decideMove } from '../core/machine.ts'
import { balanceDue, etagOf, factsOf, sideOf } from '../core/project.ts'
import { movingState, sharedState, writtenMetadata } from '../core/shared-state.ts'
import { restampTerms } from '../core/terms.ts'
import type { World } from '../engine/world.ts'
import type { Rows } from '../store/rows.ts'
import { type Caller, type Change, actorForBoth, actorForOwnSide } from './caller.ts'
import { checkConnection, withoutDueDate } from './drafts.ts'
import { changeTime, nextNumber } from './heads.ts'
import { type Telling, appendHistory, tell, todayOf } from './record.ts'

type Document = Rows['documents']

/** The document as the caller's side sees it; refused as missing, isolated or changed meanwhile. */
export const documentFor = (
  world: World,
  caller: Caller,
  organization: string,
  id: string,
): { document: Document; side: Side } => {
  const document = world.get('documents', id)
  const shownId = encodeId('doc', id)
  if (document === undefined) throw notFound('document', shownId)
  const side = sideOf(document, organization)
  if (side === undefined) {
    if (isOwnInOtherMode(world, document, organization)) throw isolated()
    throw notFound('document', shownId)
  }
  if (caller.ifMatch !== undefined && !matches(caller.ifMatch, etagOf(document))) {
    throw refuse('precondition_failed', 'The document has changed since that revision.', {
      current_revision: document.revision,
    })
  }
  if (document.integrity_hold) {
    throw refuse('conflict', 'The document is on hold: its record does not match its proofs.', {
      reason: 'integrity_hold',
    })
  }
  return { document, side }
}

/** One owner's sandbox and live organization, never anyone else's (contract 11). */
const isOwnInOtherMode = (world: World, document: Document, organization: string): boolean =>
  [document.issuer_id, document.counterparty_id].some(
    (party) => sideOf(document, party) !== undefined && haveOneOwner(world, party, organization),
  )

/** If-Match is a list of ETags, or *. */
const matches = (header: string, etag: string): boolean =>
  header
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || tag === etag)

export const notADraft = (document: Document): Error =>
  refuse('conflict', `The document is ${document.status}: only drafts can be edited and issued.`, {
    reason: 'not_draft',
  })

/** The entry transition: from now on the counterparty sees the record in its own projection. */
export const issueDraft = (change: Change, draft: Document): Document => {
  const { world, caller } = change
  const { issuer_id: issuer, counterparty_id: counterparty } = draft
  if (draft.status !== 'draft') throw notADraft(draft)
  checkConnection(world.get('connections', draft.connection_id)!)
  const type = documentTypes[draft.type as DocumentTypeName]
  const content = stampedContent(draft, todayOf(world, issuer), type.hasDueDate)

  // From here the change must succeed.
  const at = changeTime(world, [issuer, counterparty])
  const issued: Document = {
    ...draft,
    status: type.entry,
    revision: draft.revision + 1,
    document_date: content.document_date,
    due_date: content.due_date,
    content: JSON.stringify(content),
    counterparty_number: nextNumber(world, counterparty, type.counterparty.prefix),
    issued_at: at,
    updated_at: at,
  }
  const state = sharedState(issued)
  const recorded = appendHistory(change, issued, {
    shared: {
      type: 'document.issued',
      actor: actorForBoth(caller.actor),
      parties: { issuer: encodeId('org', issuer), counterparty: encodeId('org', counterparty) },
      set: state,
      state: stateDigest(state),
    },
    issuer: {
      actor: actorForOwnSide(caller.actor),
      set: {
        number: issued.issuer_number,
        direction: 'issued',
        label: type.issuer.label,
        metadata: writtenMetadata(JSON.parse(issued.metadata) as Record<string, string>),
      },
    },
    counterparty: {
      set: {
        number: issued.counterparty_number,
        direction: 'received',
        label: type.counterparty.label,
      },
    },
  })
  const statusChanged: Telling = { type: 'document.status_changed', previousStatus: 'draft' }
  const seen = tell(change, recorded, 'counterparty', { type: 'document.created' })
  const told = tell(change, seen.document, 'counterparty', statusChanged)
  const { document } = tell(change, told.document, 'issuer', statusChanged)
  const saved: Document = { ...issued, ...document, counterparty_position: seen.position }
  world.save('documents', saved)
  world.insert('document_views', {
    organization_id: counterparty,
    created: seen.position,
    document_id: saved.id,
    side: 'counterparty',
    number: saved.counterparty_number!,
    type: saved.type,
    status: saved.status,
    connection_id: saved.connection_id,
    document_date: saved.document_date,
    updated_at: at,
  })
  changeViewOf(world, saved, 'issuer')
  return saved
}

/** A draft without a date of its own is dated on the day it is issued, and so are its terms. */
const stampedContent = (draft: Document, today: string, hasDueDate: boolean) => {
  const content = readContent(draft.content)
  const documentDate = draft.document_date_given ? content.document_date : today
  const terms = restampTerms(
    {
      payment_terms: content.payment_terms,
      due_date: content.due_date,
      form: draft.terms_form as 'text' | 'date' | 'none',
    },
    documentDate,
  )
  if (!terms.ok) {
    throw refuse(
      'conflict',
      `The terms name ${terms.due_date}, which is past: send new payment_terms with PATCH, then issue.`,
      { reason: 'terms_date_past' },
    )
  }
  return changeContent(content, {
    ...withoutDueDate(terms, hasDueDate),
    document_date: documentDate,
  })
}

/** The row of the machine that one side asks for; refused with what is legal instead. */
export const legalMove = ({ caller }: Change, document: Document, side: Side, to: string): Move => {
  const facts = factsOf(document)
  const decision = decideMove(facts, to, side, caller.canPay)
  if (decision.legal) return decision.move
  if (decision.needsPayScope) {
    throw refuse('insufficient_scope', 'This move executes or cancels a payment.', {
      required_scopes: ['documents:write', 'payments:write'],
      key_scopes: caller.grantedScopes,
    })
  }
  const kind = document.type.replaceAll('_', ' ')
  const isPaying =
    paymentTargets.includes(to) &&
    document.status === 'payment_scheduled' &&
    (facts.paymentStatus === 'created' || facts.paymentStatus === 'processing')
  throw refuse(
    'conflict',
    isPaying
      ? `A payment of this ${kind} is under way: read it until it has settled or failed.`
      : `${article(document.status)} ${document.status} ${kind} cannot move to ${to} from the ${side}'s side.`,
    {
      reason: isPaying ? 'payment_in_progress' : 'illegal_transition',
      allowed: decision.allowed,
      from: document.status,
      to,
      side,
    },
  )
}

/** A move that pays nothing. */
export const moveDocument = (
  change: Change,
  document: Document,
  side: Side,
  request: TransitionRequest,
): Document => {
  const dispute = disputeAfter(change, document, side, request)
  const moved = applyMove(change, document, { status: request.to, dispute })
  if (request.to !== 'approved' || balanceDue(moved) > 0n) return moved
  return applyMove(change, moved, { status: 'paid' }, 'balance_zero')
}

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

/** An offer whose last day is over; anything else stays as it is. */
export const expireOffer = (change: Change, document: Document): void => {
  const { valid_until: last, status } = document
  const isOpen = status === 'sent' || status === 'acknowledged'
  if (!isOpen || last === null || last >= todayOf(change.world, document.issuer_id)) return
  applyMove(change, document, { status: 'expired' }, 'valid_until passed')
}

/** A move that both parties learn of as a change of state, and of nothing else. */
const applyMove = (
  change: Change,
  document: Document,
  set: Partial<Document>,
  cause?: string,
): Document => {
  const type = 'document.status_changed'
  const telling: Telling = { type, previousStatus: document.status, ...(cause ? { cause } : {}) }
  return advance(change, document, { set, tellings: [telling] }).document
}

export interface Step {
  /** What moves in the record. */
  set: Partial<Document>
  /** What the parties are told, in this order; the history is named after the first. */
  tellings: readonly Telling[]
  /** What the history calls it when nobody is told, and what more it holds. */
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
      ? sharedMove(caller, document, moved, { type, ...history.more })
      : {
          shared: null,
          issuer: {
            type,
            actor: { ...actorForBoth(caller.actor), ...actorForOwnSide(caller.actor) },
            set: { status: moved.status },
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
  changeViewOf(world, saved, 'issuer')
  if (isShared) changeViewOf(world, saved, 'counterparty')
  return { document: saved, positions }
}

const bothSides: readonly Side[] = ['issuer', 'counterparty']

const sharedMove = (caller: Caller, before: Document, after: Document, head: object) => {
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

const changeViewOf = (world: World, document: Document, side: Side): void => {
  const isIssuer = side === 'issuer'
  world.changeView({
    organization_id: isIssuer ? document.issuer_id : document.counterparty_id,
    created: isIssuer ? document.issuer_position : document.counterparty_position!,
    status: document.status,
    document_date: document.document_date,
    updated_at: document.updated_at,
  })
}
