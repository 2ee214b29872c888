/** Appends an event to a document's history outside of the engine. */
import type { HistoryKeys } from '../../core/provenance/history-keys.ts'
import type { EventSlots } from '../../core/provenance/history-event.ts'
import { pooledRandomBytes } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { insertRows, updateRows } from '../../database/table-writes.ts'
import { markChanged } from '../../store/provenance/changed-documents.ts'
import type { DocumentRow } from '../change-context.ts'
import { nextHistoryEvent } from '../next-history-event.ts'

export interface AppendDependencies {
  keyring: { history: HistoryKeys | null }
}

/**
 * The caller has locked the row and its parties' counters, and has verified the row. Saves these
 * columns of the changed row, which counts the event, and returns the row with its new head.
 */
export const appendEvent = async (
  tx: Queryable,
  { keyring }: AppendDependencies,
  { document, columns }: { document: DocumentRow; columns: readonly (keyof DocumentRow)[] },
  slots: EventSlots,
): Promise<DocumentRow> => {
  const { id, mode } = document
  const event = nextHistoryEvent(document, slots, pooledRandomBytes, keyring.history!)
  const { seq, hash } = event
  await insertRows(tx, 'prov_event', [{ document_id: id, ...event }])
  await insertRows(tx, 'log_queue', [{ log_id: mode, document_id: id, seq, hash }])
  const saved = { ...document, revision: seq, head_seq: seq, head_hash: hash }
  const changed = [...columns, 'revision', 'updated_at', 'head_seq', 'head_hash']
  await updateRows(tx, 'documents', { key: ['id'], set: changed, rows: [saved] })
  await markChanged(tx, saved)
  return saved
}
