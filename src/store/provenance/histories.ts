/**
 * The histories of some documents. Each is a chain that ends in the head of its document, whose row
 * is sealed: nothing in it can be changed, left out or added.
 */
import { type VerifiedEvent, eventsToHead } from '../../core/provenance/history-verification.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { inTurns } from '../../database/in-turns.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/** By the ids of the documents, in one snapshot. */
export const historiesOf = async (
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly VerifiedEvent[]>> => {
  const among = columnArray('uuid', ids)
  const documents = await sealedRows(db, 'documents', sql`where t.id = any(${among})`)
  const rows = await db.rows<Rows['prov_event']>(sql`
    select * from prov_event where document_id = any(${among}) order by document_id, seq`)
  const events = Map.groupBy(rows, ({ document_id }) => document_id)
  const histories = new Map<string, readonly VerifiedEvent[]>()
  for (const document of documents) {
    histories.set(document.id, await provenEvents(document, events.get(document.id)))
  }
  return histories
}

const provenEvents = async (
  document: Rows['documents'],
  rows: readonly Rows['prov_event'][] = [],
): Promise<readonly VerifiedEvent[]> => {
  const events = await inTurns(eventsToHead(document, rows))
  if (events !== undefined) return events
  throw new BrokenSeal('prov_event', document.id, 'the history does not lead to its head')
}
