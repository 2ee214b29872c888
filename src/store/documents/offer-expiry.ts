/** Offers whose last day has passed, by their issuer's clock. */
import { type Queryable, inlined, sql } from '../../database/sql.ts'
import { isDocumentVisible } from '../visibility.ts'
import { type DueRowsRequest, secondsAhead } from '../due-rows.ts'
import { isAmong } from '../../database/conditions.ts'

export interface ExpiringOffer {
  id: string
  issuer_id: string
  valid_until: string
}

/**
 * All offers to expire, or those of some sandbox organizations whose clocks are ahead. No clock is
 * ever behind the real one.
 */
export const offersToExpire = (
  db: Queryable,
  request: DueRowsRequest,
): Promise<ExpiringOffer[]> => {
  const limit = inlined(request.limit)
  const open = sql`d.lapses_after is not null and not d.integrity_hold and not d.is_frozen and ${isDocumentVisible}`
  const ahead = sql`select d.id, d.issuer_id, d.valid_until from organizations o
    join documents d on d.issuer_id = o.id
    where ${open} and ${secondsAhead(request)} > 0 and d.lapses_after <
      (pg_catalog.clock_timestamp() + make_interval(secs => ${secondsAhead(request)}))::date`
  if (request.organizations !== undefined) {
    return db.rows<ExpiringOffer>(sql`
      ${ahead} and ${isAmong('o.id', 'uuid', request.organizations)}
      order by d.lapses_after limit ${limit}`)
  }
  return db.rows<ExpiringOffer>(sql`
    select id, issuer_id, valid_until from (
      (select d.id, d.issuer_id, d.valid_until from documents d
       join organizations o on o.id = d.issuer_id
       where ${open} and d.lapses_after < pg_catalog.clock_timestamp()::date
       order by d.lapses_after limit ${limit})
      union (${ahead} order by d.lapses_after limit ${limit})) lapsed
    order by valid_until limit ${limit}`)
}
