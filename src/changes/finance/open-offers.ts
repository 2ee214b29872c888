/**
 * An old row of a listing or of an offer opens nothing again (docs/decisions/0144): the invoice
 * names its open listing, and the listing its open offers.
 */
import { financeOf } from '../../core/finance/document-finance.ts'
import type { ListingRow, OfferRow } from '../../core/finance/finance-views.ts'
import { oldRow } from '../../database/row-seals.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import { referencedRow } from './referenced-rows.ts'

export const openOffersOf = (unit: UnitOfWork, { id }: Pick<ListingRow, 'id'>): OfferRow[] =>
  unit.find(
    'finance_offers',
    ({ listing_id }) => listing_id === id,
    ({ status }) => status === 'open',
  )

/** As a listing names them. */
const idsOf = (offers: readonly OfferRow[]): string =>
  JSON.stringify(offers.map(({ id }) => id).toSorted())

/** After a change of an offer that its listing outlives. */
export const nameOpenOffers = (unit: UnitOfWork, id: string): void => {
  const listing = referencedRow(unit, 'finance_listings', id)
  const open_offers = idsOf(openOffersOf(unit, listing))
  unit.save('finance_listings', { ...listing, open_offers })
}

/** Throws BrokenSeal if the listing or one of its offers is an old row, or an open one is gone. */
export const checkListing = (unit: UnitOfWork, listing: ListingRow): void => {
  const invoice = referencedRow(unit, 'documents', listing.document_id)
  const isNamed = financeOf(invoice).listing === listing.id
  if (listing.status === 'open' && !isNamed) throw oldRow('finance_listings', listing.id)
  // A listing that was made before it named its offers.
  if (listing.open_offers === null) return
  const open = openOffersOf(unit, listing)
  if (idsOf(open) === listing.open_offers) return
  const named = JSON.parse(listing.open_offers) as string[]
  const unknown = open.find(({ id }) => !named.includes(id))
  throw unknown === undefined
    ? oldRow('finance_listings', listing.id)
    : oldRow('finance_offers', unknown.id)
}
