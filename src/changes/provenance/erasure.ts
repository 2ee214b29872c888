/**
 * Erases personal content: free text leaves the record, and the body and salt of every event that
 * held it are deleted. The chain and every proof still verify: an erased body leaves its
 * commitment, which reveals nothing without the salt. The event `content.erased` informs both sides
 * and restarts the replay from the remaining state.
 */
import { withoutReasons } from '../../core/approvals/approval-decisions.ts'
import { withoutNote } from '../../core/approvals/approval-statement.ts'
import { type DocumentContent, parseContent } from '../../core/documents/content.ts'
import type { Side } from '../../contract/document-types.ts'
import { compactText, historyDictionary } from '../../core/compact-text.ts'
import {
  type EventSlots,
  saltBytes,
  slotNames,
  stateDigest,
  storedSalts,
} from '../../core/provenance/history-event.ts'
import { encodeId } from '../../core/ids.ts'
import type { LogId } from '../../core/provenance/signed-notes.ts'
import { pledgeForIssuer } from '../../core/finance/document-finance.ts'
import { receivableOf } from '../../core/finance/twins.ts'
import {
  type VerifiedEvent,
  type StoredEvent,
  verifyHistory,
  writtenBy,
} from '../../core/provenance/history-verification.ts'
import { checkDocument } from '../../core/provenance/record-verification.ts'
import {
  canonicalContent,
  canonicalText,
  ownState,
  sharedState,
} from '../../core/provenance/shared-state.ts'
import { inTurns } from '../../database/in-turns.ts'
import { changeSealedRows } from '../../database/sealed-rows.ts'
import type { Queryable } from '../../database/sql.ts'
import { approvalsAbout } from '../../store/approvals/approvals.ts'
import { deleteComments } from '../../store/documents/comments.ts'
import { deleteImportOf } from '../../store/documents/document-imports.ts'
import { listingsOf } from '../../store/finance/listings.ts'
import * as store from '../../store/provenance/erasure.ts'
import { storedRecord } from '../../store/provenance/stored-record.ts'
import {
  lockDocument,
  lockDocumentAlone,
  nextChangeTime,
} from '../../store/provenance/changed-documents.ts'
import { takeBackDeliveries } from '../../store/webhooks/delivery-queue.ts'
import { type DocumentRow, draftSlots } from '../change-context.ts'
import { type AppendDependencies, appendEvent } from './append-event.ts'
import { copiesOf, eraseCommentResponses, eraseCopies, redactContent } from './erased-copies.ts'

type SlotName = keyof EventSlots

const redactDispute = (dispute: string | null): string | null =>
  dispute === null ? null : JSON.stringify({ ...(JSON.parse(dispute) as object), note: null })

/**
 * The facts that outlive the deleted bodies of a slot: types, statuses, payments and links, and
 * what an agreement says of its pledge, which is the lender's proof and has no free text.
 */
const retainedFacts = (events: readonly VerifiedEvent[], slot: SlotName) => {
  const bodies = events.flatMap(({ header, open }) => {
    const body = open[slot]?.body
    // The body of an earlier erasure holds no text and vouches for the bodies it deleted.
    const isErasure = body != null && 'erased' in body
    const hasText =
      body != null &&
      !isErasure &&
      ['set', 'state', 'note', 'request'].some((field) => field in body)
    return hasText ? [{ seq: header.seq, body }] : []
  })
  const erased = bodies.map(({ seq, body }) => ({
    seq,
    ...(body.type === undefined ? {} : { type: body.type }),
    ...(typeof body.set?.['status'] === 'string' ? { status: body.set['status'] } : {}),
    ...(body['payment'] === undefined ? {} : { payment: body['payment'] }),
  }))
  const links = bodies.flatMap(({ body }) => [body['links'] ?? [], body['link'] ?? []].flat())
  const pledge = bodies.find(({ body }) => 'finance' in body)?.body['finance']
  return {
    erased,
    ...(links.length === 0 ? {} : { links }),
    ...(pledge === undefined ? {} : { finance: pledge }),
  }
}

const erasureSlots = (
  document: DocumentRow,
  content: DocumentContent,
  events: readonly VerifiedEvent[],
): EventSlots => {
  const own = (side: Side) => ownState(document, side)
  const type = 'content.erased'
  const actor = { kind: 'system' } as const
  if (document.issued_at === null) {
    const { connection_id, document_type, origin } = sharedState(document)
    const draft = { ...canonicalContent(content), connection_id, document_type, origin }
    const set = { ...draft, ...own('issuer'), status: document.status, metadata: [] }
    return draftSlots(actor, { type, set, ...retainedFacts(events, 'issuer') })
  }
  const state = sharedState(document)
  const pledge = pledgeForIssuer(document)
  const issuerSet = { ...own('issuer'), metadata: [], ...(pledge === null ? {} : { pledge }) }
  return {
    shared: {
      type,
      actor,
      set: state,
      state: stateDigest(state),
      ...retainedFacts(events, 'shared'),
    },
    issuer: { set: issuerSet, ...retainedFacts(events, 'issuer') },
    counterparty: { set: own('counterparty'), ...retainedFacts(events, 'counterparty') },
  }
}

/**
 * Erases in the caller's transaction and returns the number of deleted bodies; undefined without
 * such a document. Changes nothing if there is no body left to delete.
 */
export const eraseContent = async (
  tx: Queryable,
  id: string,
  dependencies: AppendDependencies,
): Promise<number | undefined> => {
  const locked = await lockDocumentAlone(tx, id)
  if (locked === undefined) return undefined
  // Verifying takes long, and so far nothing but this document waits for it.
  const { events: rows, leaves } = await storedRecord(tx, id, '')
  const isOurs = writtenBy(dependencies.keyring.history!, locked.mode as LogId, leaves)
  const history = await inTurns(verifyHistory(locked, rows, isOurs))
  // Endpoints are locked before approvals, and both before the counters.
  await takeBackDeliveries(tx, [locked.issuer_id, locked.counterparty_id])
  await eraseApprovals(tx, locked)
  await lockDocument(tx, id)
  // Later than the locks: a reset of the sandbox deletes list rows.
  const stored = await storedRecord(tx, id, '')
  const document = stored.document!
  checkDocument(document, stored, history, tx.seals.holds('documents', document))

  // They show the content that the document has until now.
  const copies = await copiesOf(tx, id)

  // From here the change must succeed.
  const content = redactContent(parseContent(document.content))
  const after: DocumentRow = {
    ...document,
    content: JSON.stringify(content),
    metadata: '{}',
    dispute: redactDispute(document.dispute),
    updated_at: await nextChangeTime(tx, document),
  }
  await eraseComments(tx, id)
  await deleteImportOf(tx, id)
  await eraseListedReference(tx, after)
  const slots = erasureSlots(after, content, history.events)
  const erased = await deleteBodies(tx, rows, history.events, slots)
  // Everything was erased before, so the history needs no further event.
  if (erased === 0) return 0
  const columns = ['content', 'metadata', 'dispute'] as const
  const saved = await appendEvent(tx, dependencies, { document: after, columns }, slots)
  await eraseCopies(tx, saved, copies)
  return erased
}

/**
 * The notes of payments that had to be approved, with the responses to decisions, which show them.
 */
const eraseApprovals = async (tx: Queryable, document: DocumentRow): Promise<void> => {
  const approvals = await changeSealedRows(tx, 'approvals', approvalsAbout(document), (row) => ({
    statement: withoutNote(row.statement),
    decisions: withoutReasons(row),
  }))
  if (approvals.length === 0) return
  await store.deleteStoredResponsesOf(
    tx,
    approvals.map((approval) => encodeId('apr', approval.id)),
  )
}

/** Its listings, too, know the invoice by its number from now on. */
const eraseListedReference = (tx: Queryable, document: DocumentRow): Promise<unknown> =>
  changeSealedRows(tx, 'finance_listings', listingsOf(document), () => ({
    reference: receivableOf(document).reference,
  }))

/** Erases the comments of both sides, also from the responses that show them. */
const eraseComments = async (tx: Queryable, id: string): Promise<void> => {
  const comments = await deleteComments(tx, id)
  if (comments.length === 0) return
  await eraseCommentResponses(
    tx,
    comments.map((comment) => encodeId('cmt', comment)),
  )
}

/**
 * Deletes the bodies with their salts, and stores what followed from them: the commitments, the
 * other salts of the event, and the slots for lenders. Returns the number of deleted bodies.
 */
const deleteBodies = async (
  tx: Queryable,
  rows: readonly StoredEvent[],
  events: readonly VerifiedEvent[],
  slots: EventSlots,
): Promise<number> => {
  let count = 0
  const kept = rows.map((row, i) => {
    const { header, open } = events[i]!
    const finance = open.finance?.body ?? null
    const event = {
      ...row,
      commitments: Buffer.from(slotNames.map((slot) => header.c[slot]).join(''), 'hex'),
      salts: Buffer.from(storedSalts(row.salts)!),
      finance_body: finance === null ? null : compactBody(finance),
    }
    for (const [at, slot] of slotNames.entries()) {
      if (slot === 'finance' || !erasedSeqs(slots[slot]).includes(row.seq)) continue
      event[`${slot}_body`] = null
      event.salts.fill(0, at * saltBytes, (at + 1) * saltBytes)
      count += 1
    }
    return event
  })
  if (count > 0) await store.keepRemains(tx, kept)
  return count
}

const erasedSeqs = (body: object | null): readonly number[] => {
  const { erased = [] } = (body ?? {}) as { erased?: { seq: number }[] }
  return erased.map(({ seq }) => seq)
}

const compactBody = (body: object): Buffer =>
  compactText(canonicalText(body), { dictionary: historyDictionary })
