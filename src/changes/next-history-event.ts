/** The next event of a document's history, with its slots, salted and sealed. */
import { encodeId } from '../core/ids.ts'
import {
  type EventSlots,
  type HistoryEvent,
  buildHistoryEvent,
  saltSeedBytes,
  streamOf,
} from '../core/provenance/history-event.ts'
import type { HistoryKeys } from '../core/provenance/history-keys.ts'
import { financeBody } from '../core/provenance/shared-state.ts'
import type { NewDocumentRow } from './change-context.ts'

/** The document is as the event leaves it, with the head before the event. */
export const nextHistoryEvent = (
  document: NewDocumentRow,
  slots: EventSlots,
  randomBytes: (count: number) => Buffer,
  keys: HistoryKeys,
): HistoryEvent =>
  buildHistoryEvent({
    stream: streamOf(document.stream_salt, encodeId('doc', document.id)),
    previous: { seq: document.head_seq, hash: document.head_seq === 0 ? null : document.head_hash },
    at: document.updated_at,
    slots: { ...slots, finance: financeBody(document) },
    saltSeed: randomBytes(saltSeedBytes),
    macKey: keys.newest,
  })
