/** References between documents. */
import { limits } from '../../contract/limits.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'

export const deleteDocumentLinks = (db: Queryable, from: readonly string[]): Promise<number> =>
  db.run(sql`delete from document_links where from_id = any(${columnArray('uuid', from)}::uuid[])`)

interface ReferenceCount {
  to_id: string
  issued_by: string
  count: number
}

/**
 * How many references to these documents each side has issued. Each is an event of the document, so
 * only one with a long history can have too many.
 */
export const issuedReferencesTo = async (
  db: Queryable,
  documents: readonly Pick<Rows['documents'], 'id' | 'head_seq'>[],
): Promise<ReferenceCount[]> => {
  const long = documents.filter(({ head_seq }) => head_seq >= limits.referencesPerSideMax)
  if (long.length === 0) return []
  const ids = columnArray(
    'uuid',
    long.map(({ id }) => id),
  )
  return db.rows(sql`
    select to_id, issued_by, count(*)::integer as count from document_links
    where to_id = any(${ids}) and issued_by is not null group by to_id, issued_by`)
}
