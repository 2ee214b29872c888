/** Documents that were imported, by the number of their file. */
import { type Queryable, sql } from '../../database/sql.ts'

export interface NumberedFile {
  issuer: string
  connection: string
  type: string
  number: string
}

/**
 * The newest documents that were made of a file of this number and are not cancelled, at most so
 * many, and the one that its issuer numbers so itself. `lookBack` bounds the rows that are read.
 */
export const documentsNumbered = async (
  db: Queryable,
  { issuer, connection, type, number }: NumberedFile,
  { limit, lookBack }: { limit: number; lookBack: number },
): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select d.id from documents d where d.status <> 'cancelled' and d.id in (
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
