/** Invoices by the number that their issuer knows them by. */
import { type Queryable, sql } from '../../database/sql.ts'

/** One row: numbers are unique per organization. */
export const issuedInvoiceOf = async (
  db: Queryable,
  { issuer, connection, number }: { issuer: string; connection: string; number: string },
): Promise<string | undefined> => {
  const rows = await db.rows<{ document_id: string }>(sql`
    select v.document_id from document_views v
    where v.organization_id = ${issuer} and v.connection_id = ${connection}
      and v.side = 'issuer' and v.type = 'invoice' and v.number = ${number}
      and v.status <> 'draft'
    limit 1`)
  return rows[0]?.document_id
}
