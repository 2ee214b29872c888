/** The invoice behind a listing, and the invoices that it and pledged invoices replace. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, sql } from '../../database/sql.ts'
import { rowsWhere, selectList } from '../../database/table-writes.ts'

type DocumentRow = Rows['documents']

/** Whether the row `d` is replaced, as core/finance/twins.ts has the rule. */
const isReplaced = (): SqlQuery => sql`
  d.type = 'invoice' and (d.amount_credited > 0 or d.status in ('cancelled', 'rejected'))`

/**
 * The invoice, then the credited or cancelled invoices to which it refers, and those to which these
 * refer in turn. Undefined if there are too many of them. Whoever believes them checks their seals.
 */
export const receivableChain = async (
  db: Queryable,
  invoice: string,
): Promise<DocumentRow[] | undefined> => {
  const most = limits.replacedInvoicesMax + 1
  const rows = await rowsWhere(
    db,
    'documents',
    sql`t.id in (
      with recursive chain (id) as (
        select ${invoice}::uuid
        union
        select d.id from chain c join document_links k on k.from_id = c.id
        join documents d on d.id = k.to_id
        where ${isReplaced()}
      ) select id from chain limit ${most + 1})`,
  )
  if (rows.length > most) return undefined
  const own = rows.find(({ id }) => id === invoice)
  return own === undefined ? [] : [own, ...rows.filter((row) => row !== own)]
}

/**
 * The fingerprint of an invoice when it was listed, as long as it is: its reference may have been
 * erased since. Whoever accepts an offer for the listing checks the seal of its row.
 */
export const listedFingerprints = async (db: Queryable, invoice: string): Promise<string[]> => {
  const rows = await db.rows<{ fingerprint: string }>(sql`
    select fingerprint from finance_listings where document_id = ${invoice} and status = 'open'`)
  return rows.map(({ fingerprint }) => fingerprint)
}

/** An invoice that another one replaces, which is pledged for an agreement that is not closed. */
export type InheritedInvoice = DocumentRow & { agreement: string; pledged: string }

/**
 * The invoices that the pledged invoices of the same issuer and debtor replace by now, as far as
 * they could be one of the chain: they have the currency, total and date of one of it. What a
 * borrower pledged before it reset its sandbox is released.
 */
export const inheritedInvoices = (
  db: Queryable,
  chain: readonly DocumentRow[],
): Promise<InheritedInvoice[]> => {
  const { issuer_id, counterparty_id } = chain[0]!
  const totals = columnArray(
    'bigint',
    chain.map(({ total }) => total),
  )
  const dates = columnArray(
    'date',
    chain.map(({ document_date }) => document_date),
  )
  const currencies = columnArray(
    'text',
    chain.map(({ currency }) => currency),
  )
  return db.rows(sql`
    with recursive inherited (agreement, pledged, id) as (
      select a.id, a.invoice_id, a.invoice_id from finance_agreements a
      join organizations o on o.id = a.borrower_id
      where a.borrower_id = ${issuer_id} and a.debtor_id = ${counterparty_id}
        and a.closed_at is null and a.accepted_at > coalesce(o.reset_at, '-infinity')
      union
      select i.agreement, i.pledged, d.id from inherited i
      join document_links k on k.from_id = i.id
      join documents d on d.id = k.to_id
      where ${isReplaced()}
    )
    select i.agreement, i.pledged, ${selectList('documents', 'd')}
    from inherited i join documents d on d.id = i.id
    where i.id <> i.pledged and (d.total, d.document_date, d.currency) in (
      select * from unnest(${totals}::bigint[], ${dates}::date[], ${currencies}::text[]))`)
}
