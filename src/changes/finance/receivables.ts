/** What is read about an invoice and its twins before a decision about a loan (domain 5.6). */
import { fingerprintOf, isNearTwin, receivableOf } from '../../core/finance/twins.ts'
import type { ListingRow } from '../../core/finance/finance-views.ts'
import type { Queryable } from '../../database/sql.ts'
import { liveListingsBeside } from '../../store/finance/listings.ts'
import { receivableChain } from '../../store/finance/receivables.ts'

/**
 * The fingerprint of an invoice, and those of the invoices that it replaces; undefined if these are
 * too many.
 */
export const receivableFingerprints = async (
  db: Queryable,
  invoice: string,
): Promise<string[] | undefined> => {
  const chain = await receivableChain(db, invoice)
  return chain && [...new Set(chain.map((document) => fingerprintOf(receivableOf(document))))]
}

/** How many live listings are near twins of this one. */
export const nearTwinsOf = async (db: Queryable, listing: ListingRow): Promise<number> => {
  const own = receivableOfListing(listing)
  const others = await liveListingsBeside(db, listing)
  return others.filter((other) => isNearTwin(own, receivableOfListing(other))).length
}

const receivableOfListing = (row: ListingRow) => ({
  issuer: row.borrower_id,
  debtor: row.debtor_id,
  reference: row.reference,
  currency: row.currency,
  total: row.invoice_total,
  date: row.invoice_date,
})
