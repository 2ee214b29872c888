/** The invoices that demo counterparties can list. */
import { limits } from '../../contract/limits.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/** The newest approved invoice of an issuer to a debtor that was never listed nor pledged. */
export const unlistedInvoice = async (
  db: Queryable,
  issuer: string,
  debtor: string,
): Promise<string | undefined> => {
  const rows = await db.rows<{ id: string }>(sql`
    select d.id from (
      select v.document_id, v.position from document_views v
      where v.organization_id = ${debtor} and v.status = 'approved'
      order by v.position desc limit ${limits.demoInvoicesSearchedMax}
    ) v join documents d on d.id = v.document_id
    where d.type = 'invoice' and d.issuer_id = ${issuer} and d.finance is null
    order by v.position desc limit 1`)
  return rows[0]?.id
}
