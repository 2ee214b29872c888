/**
 * Listings and offers that are shown. An open listing is named by its invoice, the newest of
 * itself, and an open offer by its listing, all of one snapshot (docs/decisions/0144, 0173). What
 * has ended never opens again, so nothing need name it.
 */
import { financeOf } from '../../core/finance/document-finance.ts'
import type { ListingRow, OfferRow } from '../../core/finance/finance-views.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { type RowSeals, missingRow, oldRow } from '../../database/row-seals.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { isNewestVersion } from '../documents/newest-version.ts'

interface PackedInvoice {
  /** Null unless the listing is open. */
  invoice: string | null
  is_newest: boolean | null
}

/** SQL: the invoice `d` of an open listing. */
const invoiceOf = (listing: 't' | 'l'): SqlQuery =>
  sql`left join documents d on d.id = ${raw(listing)}.document_id
    and ${raw(listing)}.status = 'open'`

const packedInvoice: SqlQuery = sql`
  case when d.id is not null then ${packedRow('documents', 'd')} end as invoice,
  ${raw(isNewestVersion)} as is_newest`

const currentListing = (
  seals: RowSeals,
  { listing: packed, invoice: packedDocument, is_newest }: PackedInvoice & { listing: string },
): ListingRow => {
  const listing = unpackRow(seals, 'finance_listings', packed)
  if (listing.status !== 'open') return listing
  const { document_id } = listing
  if (packedDocument === null) throw missingRow('documents', document_id)
  const invoice = unpackRow(seals, 'documents', packedDocument)
  if (!is_newest) throw oldRow('documents', document_id)
  if (financeOf(invoice).listing === listing.id) return listing
  throw oldRow('finance_listings', listing.id)
}

/** The listings `t`; `rest` is what follows the FROM clause. Throws BrokenSeal for an old row. */
export const currentListings = async (db: Queryable, rest: SqlQuery): Promise<ListingRow[]> => {
  const rows = await db.rows<PackedInvoice & { listing: string }>(sql`
    select ${packedRow('finance_listings', 't')} as listing, ${packedInvoice}
    from finance_listings t ${invoiceOf('t')} ${rest}`)
  return rows.map((row) => currentListing(db.seals, row))
}

/** The offers `t`, in the same way. */
export const currentOffers = async (db: Queryable, rest: SqlQuery): Promise<OfferRow[]> => {
  const rows = await db.rows<PackedInvoice & { offer: string; listing: string | null }>(sql`
    select ${packedRow('finance_offers', 't')} as offer,
      case when l.id is not null then ${packedRow('finance_listings', 'l')} end as listing,
      ${packedInvoice}
    from finance_offers t left join finance_listings l on l.id = t.listing_id and t.status = 'open'
    ${invoiceOf('l')} ${rest}`)
  return rows.map(({ offer: packed, listing, ...invoice }) => {
    const offer = unpackRow(db.seals, 'finance_offers', packed)
    if (offer.status !== 'open') return offer
    const { id, listing_id } = offer
    if (listing === null) throw missingRow('finance_listings', listing_id)
    const { status, open_offers } = currentListing(db.seals, { listing, ...invoice })
    // A listing that was made before it named its offers.
    const isNamed = open_offers === null || (JSON.parse(open_offers) as string[]).includes(id)
    if (status === 'open' && isNamed) return offer
    throw oldRow('finance_offers', id)
  })
}
