/**
 * Appends to a document's history in the transaction of the change, for writes of the engine;
 * provenance/append-event.ts does it for all others.
 */
import type { EventSlots } from '../core/provenance/history-event.ts'
import { sideOf } from '../core/documents/document-visibility.ts'
import { signedSlots } from '../core/provenance/signed-slots.ts'
import { usedApproval } from './approvals/required-approval.ts'
import type { ChangeContext, NewDocumentRow } from './change-context.ts'
import { nextHistoryEvent } from './next-history-event.ts'

/** Appends to the document's chain and returns the document with its new head. */
export const appendHistory = (
  change: ChangeContext,
  document: NewDocumentRow,
  slots: EventSlots,
): NewDocumentRow => {
  const { unit, historyKeys } = change
  if (historyKeys === null) return document
  const own = ownSlots(change, document, slots)
  const event = nextHistoryEvent(document, own, (count) => unit.randomBytes(count), historyKeys)
  unit.insert('prov_event', { document_id: document.id, ...event })
  unit.insert('log_queue', {
    log_id: document.mode,
    document_id: document.id,
    seq: event.seq,
    hash: event.hash,
  })
  return { ...document, head_seq: event.seq, head_hash: event.hash }
}

/** The first event of a request is what its party asked for; the others follow from it. */
const ownSlots = (
  change: ChangeContext,
  document: NewDocumentRow,
  slots: EventSlots,
): EventSlots => {
  const { actor, signature } = change.caller
  const side = actor.kind === 'system' ? undefined : sideOf(document, actor.organization_id)
  if (side === undefined || change.unit.hasInserted('prov_event')) return slots
  const approval = usedApproval(change)
  const approved = approval === null ? slots : { ...slots, [side]: { ...slots[side], approval } }
  return signedSlots(approved, { id: document.id, side }, signature)
}
