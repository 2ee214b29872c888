/** Reads of listings, of their twins, and of those that expire. */
import { type ColumnType, columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, inlined, sql } from '../../database/sql.ts'
import { limits } from '../../contract/limits.ts'
import { currentListings } from './current-listings.ts'
import { type FinancePage, amongIds, pageConditions, pageOfParty } from './finance-pages.ts'
import { type DueRowsRequest, secondsAhead } from '../due-rows.ts'
import { isAmong } from '../../database/conditions.ts'
import { lastReset } from '../visibility.ts'

export type ListingRow = Rows['finance_listings']

/**
 * Whether a lender may see the listing `r`: a connected borrower's, and not against an invoice that
 * the lender itself owes, unless it is a sandbox, where the demo counterparty plays both.
 */
const isOffered = (lender: string): SqlQuery => sql`
  (r.mode = 'test' or r.debtor_id <> ${lender}) and exists (
    select 1 from connections c where c.status = 'active'
      and c.a_id = least(r.borrower_id, ${lender}::uuid)
      and c.b_id = greatest(r.borrower_id, ${lender}::uuid))`

/** Open listings of borrowers to whom a lender is connected. */
const idsForLender = (page: FinancePage): SqlQuery => {
  const { organization, limit } = page
  return sql`(
    select i.id from connections c cross join lateral (
      select r.id from finance_listings r
      where r.borrower_id = case when c.a_id = ${organization} then c.b_id else c.a_id end
        and r.status = 'open' and (r.mode = 'test' or r.debtor_id <> ${organization})
        and ${pageConditions('finance_listings', page)}
      order by r.id desc limit ${inlined(limit)}) i
    where c.status = 'active' and (c.a_id = ${organization} or c.b_id = ${organization}))`
}

export const listingsPage = async (db: Queryable, page: FinancePage): Promise<ListingRow[]> => {
  const own = page.roles.includes('borrower')
    ? await currentListings(db, pageOfParty('finance_listings', { ...page, roles: ['borrower'] }))
    : []
  const seesOpen = page.statuses === undefined || page.statuses.includes('open')
  if (!page.roles.includes('lender') || !seesOpen) return own
  const offered = await currentListings(db, amongIds(page.limit, [idsForLender(page)]))
  return [...own, ...offered].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit)
}

/** A listing of the organization, or one that it may lend against or has made an offer for. */
export const listingFor = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<ListingRow | undefined> => {
  const [row] = await currentListings(
    db,
    sql`where t.id in (
      select r.id from finance_listings r where r.id = ${id} and (
        r.borrower_id = ${organization}
        or r.status = 'open' and ${isOffered(organization)}
        or exists (select 1 from finance_offers f
          where f.listing_id = r.id and f.lender_id = ${organization}))
        and r.created_at > ${lastReset(organization)})`,
  )
  return row
}

/** The condition on `t` for the listings of an invoice, found among those of its issuer. */
export const listingsOf = (invoice: { id: string; issuer_id: string }): SqlQuery =>
  sql`t.borrower_id = ${invoice.issuer_id} and t.document_id = ${invoice.id}`

/** A listing that exists, whoever may see it. */
export const listingById = async (db: Queryable, id: string): Promise<ListingRow> => {
  const [row] = await sealedRows(db, 'finance_listings', sql`where t.id = ${id}`)
  if (row === undefined) throw new BrokenSeal('finance_listings', id)
  return row
}

/**
 * The other listings `o` of similar invoices, as core/finance/twins.ts has the rule: two of
 * reference, total and date agree with the listing `l`. Each of the three is an index range.
 */
const similarListings = (): SqlQuery => {
  const beside = sql`select o.id, o.document_id, o.status from finance_listings o
    where o.borrower_id = l.borrower_id and o.debtor_id = l.debtor_id and o.currency = l.currency
      and o.status in ('open', 'matched') and o.document_id <> l.document_id`
  const isNear = sql`o.invoice_date between l.invoice_date - ${limits.nearTwinMaxDays}::int
    and l.invoice_date + ${limits.nearTwinMaxDays}::int`
  const isSameReference = sql`o.reference = l.reference`
  const isSameTotal = sql`o.invoice_total = l.invoice_total`
  return sql`(${beside} and ${isSameReference} and ${isSameTotal}
    union ${beside} and ${isSameReference} and ${isNear}
    union ${beside} and ${isSameTotal} and ${isNear})`
}

/** The live listings: a matched one only with its pledge. */
const liveListings = (): SqlQuery => sql`
  (select o.id, p.id as pledge from ${similarListings()} o
    left join finance_pledges p on o.status = 'matched'
      and p.document_id = o.document_id and p.is_active and p.is_own
    where o.status = 'open' or p.id is not null
    limit ${inlined(limits.nearTwinsComparedMax)})`

/** What similar invoices are found by, for one that is listed or to be listed. */
export type ComparedInvoice = Pick<
  ListingRow,
  | 'borrower_id'
  | 'debtor_id'
  | 'document_id'
  | 'currency'
  | 'reference'
  | 'invoice_total'
  | 'invoice_date'
>

/** The live listings of other invoices of the same parties that are similar to one of these. */
export const listingsBeside = (invoices: readonly ComparedInvoice[]): SqlQuery => {
  const column = (type: ColumnType, name: keyof ComparedInvoice) =>
    columnArray(
      type,
      invoices.map((one) => one[name]),
    )
  return sql`
    select o.id, o.pledge from (select * from unnest(${column('uuid', 'borrower_id')}::uuid[],
        ${column('uuid', 'debtor_id')}::uuid[], ${column('uuid', 'document_id')}::uuid[],
        ${column('text', 'currency')}::text[], ${column('text', 'reference')}::text[],
        ${column('bigint', 'invoice_total')}::bigint[], ${column('date', 'invoice_date')}::date[])
      as l (borrower_id, debtor_id, document_id, currency, reference, invoice_total, invoice_date)) l
    cross join lateral ${liveListings()} o`
}

/** How many near twins each listing has (core/finance/twins.ts has the rule for one of them). */
export const nearTwinCounts = async (
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const pairs = await db.rows<{ id: string; twin: string; pledge: string | null }>(sql`
    select l.id, o.id as twin, o.pledge
    from finance_listings l cross join lateral ${liveListings()} o
    where l.id = any(${columnArray('uuid', ids)})`)
  const distinct = (values: readonly (string | null)[]) =>
    columnArray('uuid', [...new Set(values.filter((value) => value !== null))])
  // A lender relies on the numbers, so every row that was counted is proven.
  await Promise.all([
    sealedRows(
      db,
      'finance_listings',
      sql`where t.id = any(${distinct(pairs.map(({ twin }) => twin))})`,
    ),
    sealedRows(
      db,
      'finance_pledges',
      sql`where t.id = any(${distinct(pairs.map(({ pledge }) => pledge))})`,
    ),
  ])
  const counts = new Map<string, number>()
  for (const { id } of pairs) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

export interface DueListing {
  id: string
  document_id: string
  borrower_id: string
  /** By the borrower's clock. */
  ends_at: string
}

/** When the open listing `l` ends, as changes/finance/listings.ts has the rule. */
const endsAt = sql`least(l.expires_at, (l.due_date + 1)::timestamp at time zone 'UTC')`

/**
 * Open listings whose time is over by their borrowers' clocks, the first ones first: by the real
 * clock, or that of a sandbox that is ahead of it. All, or those of some borrowers.
 */
export const listingsToEnd = (db: Queryable, request: DueRowsRequest): Promise<DueListing[]> => {
  const ended = (time: SqlQuery) => sql`l.status = 'open'
    and ${isAmong('l.borrower_id', 'uuid', request.organizations)} and ${endsAt} <= ${time}
    order by ends_at limit ${request.limit}`
  const listings = sql`select l.id, l.document_id, l.borrower_id, ${endsAt} as ends_at
    from finance_listings l`
  // A range of an index cannot end at clock_timestamp(), which may be another one for each row.
  const now = sql`statement_timestamp()`
  const ahead = sql`${now} + make_interval(secs => ${secondsAhead(request)})`
  return db.rows(sql`
    select id, document_id, borrower_id, ends_at from (
      (${listings} where ${ended(now)})
      union
      (${listings} join organizations o on o.id = l.borrower_id
       where ${secondsAhead(request)} > 0 and ${ended(ahead)})) due
    order by ends_at, id limit ${request.limit}`)
}
