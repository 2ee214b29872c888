/** Offers whose last day has passed. */
import { type Session, raw, sql } from '../sql.ts'

export interface LapsedOffer {
  id: string
  issuer_id: string
}

/** By the UTC day: the clock of an organization is never behind it. */
export const lapsedOffers = (
  session: Session,
  today: string,
  most: number,
): Promise<LapsedOffer[]> =>
  session.rows<LapsedOffer>(sql`
    select id, issuer_id from documents
    where valid_until < ${today} and valid_until is not null
      and status in ('sent', 'acknowledged') and not integrity_hold
    order by valid_until limit ${raw(String(most))}`)
