/** The invoices behind listings, and the invoices that they and pledged invoices replace. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { selectList, unnest } from '../../database/table-writes.ts'
import { lastReset } from '../visibility.ts'

type DocumentRow = Rows['documents']

/**
 * The replaced invoices to which the document of this row refers, as core/finance/twins.ts has the
 * rule. What secures an agreement refers to no invoice by that. `offset 0` keeps the order of the
 * look-ups, here and below, whatever the tables were like when PostgreSQL planned the statement.
 */
const replacedBy = (row: 'c' | 'i'): SqlQuery => sql`
  select d.id from (
    select k.to_id from document_links k
    where k.from_id = ${raw(row)}.id and k.rel <> 'secured_by' offset 0
  ) k cross join lateral (select * from documents where id = k.to_id offset 0) d
  where d.type = 'invoice' and (d.amount_credited > 0 or d.status in ('cancelled', 'rejected'))`

/** A part of the chain of the invoice `root`. */
export type ChainedInvoice = DocumentRow & { root: string }

/**
 * Of each of these invoices: itself, the credited or cancelled invoices to which it refers, and
 * those to which these refer in turn, one more than there may be at most. Whoever believes them
 * checks their seals.
 */
export const receivableChains = (
  db: Queryable,
  invoices: readonly string[],
): Promise<ChainedInvoice[]> =>
  db.rows(sql`
    select c.root, ${selectList('documents', 't')}
    from unnest(${columnArray('uuid', invoices)}::uuid[]) r (root) cross join lateral (
      with recursive chain (id) as (
        select r.root
        union
        select k.id from chain c cross join lateral (${replacedBy('c')}) k
      ) select r.root, id from chain limit ${inlined(limits.replacedInvoicesMax + 2)}) c
    cross join lateral (select * from documents where id = c.id offset 0) t`)

export type ListedFingerprint = Pick<Rows['finance_listings'], 'document_id' | 'fingerprint'>

/**
 * The fingerprint of an invoice when it was listed, as long as it is: its reference may have been
 * erased since. Whoever accepts an offer for the listing checks the seal of its row.
 */
export const listedFingerprints = (
  db: Queryable,
  invoices: readonly string[],
): Promise<ListedFingerprint[]> =>
  db.rows(sql`
    select document_id, fingerprint from finance_listings
    where document_id = any(${columnArray('uuid', invoices)}) and status = 'open'`)

/** An invoice that another one replaces, which is pledged for an agreement that is not closed. */
export type InheritedInvoice = ChainedInvoice & { agreement: string; pledged: string }

/**
 * The invoices that the pledged invoices of the same issuer and debtor replace by now, as far as
 * they could be one of the chain: they have the currency, total and date of one of it. What a
 * borrower pledged before it reset its sandbox is released.
 */
export const inheritedInvoices = (
  db: Queryable,
  chains: readonly ChainedInvoice[],
): Promise<InheritedInvoice[]> => {
  const own = chains.filter(({ root, id }) => id === root)
  const parties = unnest(own, { root: 'uuid', issuer_id: 'uuid', counterparty_id: 'uuid' })
  const alike = { root: 'uuid', total: 'bigint', document_date: 'date', currency: 'text' } as const
  return db.rows(sql`
    with recursive inherited (root, agreement, pledged, id) as (
      select u.root, a.id, a.invoice_id, a.invoice_id from ${parties}
      cross join lateral (select * from finance_agreements
        where borrower_id = u.issuer_id and debtor_id = u.counterparty_id and closed_at is null
          and accepted_at > ${lastReset(raw('u.issuer_id'))} offset 0) a
      union
      select i.root, i.agreement, i.pledged, k.id
      from inherited i cross join lateral (${replacedBy('i')}) k
    )
    select i.root, i.agreement, i.pledged, ${selectList('documents', 'd')}
    from inherited i cross join lateral (select * from documents where id = i.id offset 0) d
    where i.id <> i.pledged and (i.root, d.total, d.document_date, d.currency) in (
      select * from ${unnest(chains, alike)})`)
}

export type LostPledge = Pick<Rows['finance_pledges'], 'document_id' | 'fingerprint'>

/**
 * Invoices with one of these fingerprints that say they are pledged, without a row of the pledge.
 * What a borrower pledged before it reset its sandbox is released.
 */
export const lostPledges = (
  db: Queryable,
  fingerprints: readonly string[],
): Promise<LostPledge[]> =>
  db.rows(sql`
    select l.document_id, l.fingerprint from (
      select document_id, fingerprint, borrower_id, created_at from finance_listings
      where status = 'matched' and fingerprint = any(${columnArray('text', fingerprints)})
      offset 0) l
    cross join lateral (select id, finance from documents where id = l.document_id offset 0) d
    where l.created_at > ${lastReset(raw('l.borrower_id'))}
      and d.finance ~ '"status":"(recorded|assigned)"'
      and not exists (select 1 from finance_pledges p
        where p.document_id = d.id and p.fingerprint = l.fingerprint and p.is_active)`)
