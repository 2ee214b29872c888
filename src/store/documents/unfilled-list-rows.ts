/** List rows without the currency and the due date of their documents. */
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/**
 * Locks some of their documents, apart from those that are being changed, and fills the rows of
 * these. Returns the ids of the documents. The row of a document that is not as it was sealed is
 * filled as well: it only finds the document, which is refused then.
 */
export const fillListRows = async (tx: Queryable, limit: number): Promise<string[]> => {
  const found = await tx.rows<{ id: string }>(sql`
    select d.id from documents d
    where d.id in (
      select v.document_id from document_views v where v.currency is null limit ${limit})
    order by d.id for no key update skip locked`)
  const ids = found.map(({ id }) => id)
  // In a statement of its own, which sees what the documents are since they are locked.
  await tx.run(sql`
    update document_views v set currency = d.currency, due_date = d.due_date
    from documents d
    where d.id = v.document_id and v.currency is null and d.id = any(${columnArray('uuid', ids)})`)
  return ids
}
