/** Reads of offers, and of those that expire. */
import type { OfferRow } from '../../core/finance/finance-views.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { currentOffers } from './current-listings.ts'
import { type FinancePage, isPartyOf, pageOfParty } from './finance-pages.ts'
import { type DueRowsRequest, isPast } from '../due-rows.ts'
import { isAmong } from '../../database/conditions.ts'

export const offersPage = (db: Queryable, page: FinancePage): Promise<OfferRow[]> =>
  currentOffers(db, pageOfParty('finance_offers', page))

/** An offer of which the organization is a party, since its last reset. */
export const offerOf = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<OfferRow | undefined> => {
  const isOwn = isPartyOf('finance_offers', organization)
  return (await currentOffers(db, sql`where t.id = ${id} and ${isOwn}`))[0]
}

export interface DueOffer {
  id: string
  listing_id: string
  document_id: string
  lender_id: string
  expires_at: string
}

/** Open offers whose time is over by their lenders' clocks; all, or those of some of them. */
export const lapsedFinanceOffers = (db: Queryable, request: DueRowsRequest): Promise<DueOffer[]> =>
  db.rows(sql`
    select f.id, f.listing_id, f.document_id, f.lender_id, f.expires_at from finance_offers f
    join organizations o on o.id = f.lender_id
    where f.status = 'open' and ${isPast('f.expires_at', request)}
      and ${isAmong('f.lender_id', 'uuid', request.organizations)}
    order by f.expires_at, f.id limit ${request.limit}`)
