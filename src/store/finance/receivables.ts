/** The invoice behind a listing, and the invoices that it replaces. */
import { limits } from '../../contract/limits.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

/**
 * The invoice, then the credited or cancelled invoices of the same issuer to which it refers, and
 * those to which these refer in turn. Undefined if there are too many of them.
 */
export const receivableChain = async (
  db: Queryable,
  invoice: string,
): Promise<Rows['documents'][] | undefined> => {
  const most = limits.replacedInvoicesMax + 1
  const rows = await sealedRows(
    db,
    'documents',
    sql`where t.id in (
      with recursive chain (id) as (
        select ${invoice}::uuid
        union
        select d.id from chain c join document_links k on k.from_id = c.id
        join documents d on d.id = k.to_id
        where d.type = 'invoice' and (d.amount_credited > 0 or d.status in ('cancelled', 'rejected'))
      ) select id from chain limit ${most + 1})`,
  )
  if (rows.length > most) return undefined
  const own = rows.find(({ id }) => id === invoice)
  return own === undefined ? [] : [own, ...rows.filter((row) => row !== own)]
}
