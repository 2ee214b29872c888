/** Reads of offers, and of those that expire. */
import type { OfferRow } from '../../core/finance/finance-views.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { currentOffers } from './current-listings.ts'
import { type FinancePage, isPartyOf, pageOfParty } from './finance-pages.ts'

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
export const lapsedFinanceOffers = (
  db: Queryable,
  limit: number,
  organizations?: readonly string[],
): Promise<DueOffer[]> => {
  const ofThem =
    organizations === undefined
      ? sql``
      : sql`and f.lender_id = any(${columnArray('uuid', organizations)})`
  return db.rows(sql`
    select f.id, f.listing_id, f.document_id, f.lender_id, f.expires_at from finance_offers f
    join organizations o on o.id = f.lender_id
    where f.status = 'open' ${ofThem}
      and f.expires_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)
    order by f.expires_at, f.id limit ${limit}`)
}
