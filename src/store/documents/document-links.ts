/** References between documents. */
import { type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'

export const deleteDocumentLinks = (db: Queryable, from: readonly string[]): Promise<number> =>
  db.run(sql`delete from document_links where from_id = any(${columnArray('uuid', from)}::uuid[])`)
