/** What a sandbox that is reset leaves to its partners: their listings, and pledges to it. */
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

const lowestId = '00000000-0000-0000-0000-000000000000'
const pageRows = 100

export type LeftListing = Pick<Rows['finance_listings'], 'id' | 'document_id'>

/** Open listings of other borrowers against what the organizations owe. */
export const listingsLeftBy = (
  db: Queryable,
  organizations: readonly string[],
  after = lowestId,
): Promise<LeftListing[]> => {
  const ids = columnArray('uuid', organizations)
  return db.rows(sql`
    select distinct l.id, l.document_id from connections c
    join finance_listings l on l.status = 'open' and l.borrower_id in (c.a_id, c.b_id)
    where (c.a_id = any(${ids}) or c.b_id = any(${ids}))
      and l.debtor_id = any(${ids}) and l.borrower_id <> all(${ids}) and l.id > ${after}
    order by l.id limit ${pageRows}`)
}

export type LeftLoan = Pick<Rows['finance_agreements'], 'id' | 'agreement_document'>

/** Loans of the organizations to other borrowers whose pledge is held. */
export const loansLeftBy = (
  db: Queryable,
  organizations: readonly string[],
  after = lowestId,
): Promise<LeftLoan[]> => {
  const ids = columnArray('uuid', organizations)
  return db.rows(sql`
    select a.id, a.agreement_document from finance_agreements a
    join finance_pledges p on p.agreement_id = a.id and p.is_active and p.is_own
    where a.lender_id = any(${ids}) and a.closed_at is null
      and a.borrower_id <> all(${ids}) and a.id > ${after}
    order by a.id limit ${pageRows}`)
}
