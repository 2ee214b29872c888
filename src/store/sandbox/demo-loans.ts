/** The scripts that demo counterparties follow in loans, and the invoices that they can list. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

export type DueDemoLoan = Pick<Rows['demo_loans'], 'listing_id' | 'organization_id'> & {
  due_at: string
}

/**
 * The scripts whose next step is due by the demo counterparty's clock, the earliest first: all of
 * them, or those of some demo counterparties.
 */
export const dueDemoLoans = (
  db: Queryable,
  limit: number,
  organizations?: readonly string[],
): Promise<DueDemoLoan[]> => {
  const ofDemos =
    organizations === undefined
      ? sql``
      : sql`and s.organization_id = any(${columnArray('uuid', organizations)})`
  return db.rows<DueDemoLoan>(sql`
    select s.listing_id, s.organization_id, s.due_at from demo_loans s
    join organizations o on o.id = s.organization_id
    where s.due_at is not null ${ofDemos}
      and s.due_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)
    order by s.due_at, s.listing_id limit ${limit}`)
}

/** The newest approved invoice of an issuer to a debtor that was never listed nor pledged. */
export const unlistedInvoice = async (
  db: Queryable,
  issuer: string,
  debtor: string,
): Promise<string | undefined> => {
  const rows = await db.rows<{ id: string }>(sql`
    select d.id from (
      select v.document_id, v.position from document_views v
      where v.organization_id = ${debtor} and v.status = 'approved'
      order by v.position desc limit ${limits.demoInvoicesSearchedMax}
    ) v join documents d on d.id = v.document_id
    where d.type = 'invoice' and d.issuer_id = ${issuer} and d.finance is null
    order by v.position desc limit 1`)
  return rows[0]?.id
}
