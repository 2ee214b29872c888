/**
 * Appends to a document's history in the transaction of the change, for writes of the engine;
 * provenance/append-event.ts does it for all others.
 */
import {
  type EventSlots,
  buildHistoryEvent,
  saltSeedBytes,
  streamOf,
} from '../core/provenance/history-event.ts'
import { financeBody } from '../core/provenance/shared-state.ts'
import { encodeId } from '../core/ids.ts'
import { sideOf } from '../core/documents/document-visibility.ts'
import { signedSlots } from '../core/provenance/signed-slots.ts'
import type { UnitOfWork } from '../engine/unit-of-work.ts'
import type { ActingCaller, ChangeContext, NewDocumentRow } from './change-context.ts'

/** Appends to the document's chain and returns the document with its new head. */
export const appendHistory = (
  { unit, caller, historyKeys }: ChangeContext,
  document: NewDocumentRow,
  slots: EventSlots,
): NewDocumentRow => {
  if (historyKeys === null) return document
  const stream = streamOf(document.stream_salt, encodeId('doc', document.id))
  const previous = {
    seq: document.head_seq,
    hash: document.head_seq === 0 ? null : document.head_hash,
  }
  const all = { ...ownSlots(unit, caller, document, slots), finance: financeBody(document) }
  const seed = unit.randomBytes(saltSeedBytes)
  const event = buildHistoryEvent(
    stream,
    previous,
    document.updated_at,
    all,
    seed,
    historyKeys.newest,
  )
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
  unit: UnitOfWork,
  { actor, signature }: ActingCaller,
  document: NewDocumentRow,
  slots: EventSlots,
): EventSlots => {
  if (signature === null || actor.kind === 'system') return slots
  const side = sideOf(document, actor.organization_id)
  const isFirst = side !== undefined && !unit.hasInserted('prov_event')
  return isFirst ? signedSlots(slots, side, signature) : slots
}
