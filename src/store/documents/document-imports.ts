/** Documents by the number of a file: that of which they were made, or their own. */
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, sql } from '../../database/sql.ts'

export interface NumberedFile {
  issuer: string
  connection: string
  type: string
  number: string
}

export interface NumberedBounds {
  /** Statuses of documents that do not count. */
  without: readonly string[]
  limit: number
  /** Rows of imports that are read. */
  lookBack: number
}

/**
 * The newest documents that were made of a file of this number, and the one that its issuer numbers
 * so itself.
 */
export const documentsNumbered = async (
  db: Queryable,
  { issuer, connection, type, number }: NumberedFile,
  { without, limit, lookBack }: NumberedBounds,
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select d.id from documents d
    where d.status <> all(${columnArray('text', without)}) and d.id in (
      (select i.document_id from document_imports i
       where i.issuer_id = ${issuer} and i.connection_id = ${connection}
         and i.type = ${type} and i.number = ${number}
       order by i.document_id desc limit ${lookBack})
      union
      select v.document_id from document_views v
      where v.organization_id = ${issuer} and v.number = ${number} and v.side = 'issuer'
        and v.connection_id = ${connection} and v.type = ${type})
    order by d.id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** The number of its file is a text of the document. */
export const deleteImportOf = (tx: Queryable, document: string): Promise<unknown> =>
  tx.rows(sql`delete from document_imports where document_id = ${document}`)
