/** What is read about an invoice and its twins before a decision about a loan (domain 5.6). */
import { fingerprintsOf, isNearTwin, receivableOf } from '../../core/finance/twins.ts'
import type { ListingRow } from '../../core/finance/finance-views.ts'
import type { Queryable } from '../../database/sql.ts'
import { liveListingsBeside } from '../../store/finance/listings.ts'
import { receivableChain } from '../../store/finance/receivables.ts'

/**
 * The fingerprints of an invoice, and those of the invoices that it replaces; undefined if there
 * are too many of these.
 */
export const receivableFingerprints = async (
  db: Queryable,
  invoice: string,
): Promise<string[] | undefined> => {
  const chain = await receivableChain(db, invoice)
  return chain && [...new Set(chain.flatMap((document) => fingerprintsOf(receivableOf(document))))]
}

/** How many live listings are near twins of this one. */
export const nearTwinsOf = async (db: Queryable, listing: ListingRow): Promise<number> => {
  const own = receivableOfListing(listing)
  const others = await liveListingsBeside(db, listing)
  return others.filter((other) => isNearTwin(own, receivableOfListing(other))).length
}

const receivableOfListing = (row: ListingRow) => ({
  reference: row.reference,
  total: row.invoice_total,
  date: row.invoice_date,
})
