/** Reads of agreements: those that are due, and the payments of their repayment. */
import { limits } from '../../contract/limits.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'

export interface DueAgreement {
  id: string
  agreement_document: string
  due_at: string
  due_by: string
}

/** Agreements with a deadline that has passed by the clock of whom it concerns. */
export const dueAgreements = (
  db: Queryable,
  limit: number,
  organizations?: readonly string[],
): Promise<DueAgreement[]> => {
  const ofThem =
    organizations === undefined
      ? sql``
      : sql`and a.due_by = any(${columnArray('uuid', organizations)})`
  return db.rows(sql`
    select a.id, a.agreement_document, a.due_at, a.due_by from finance_agreements a
    join organizations o on o.id = a.due_by
    where a.due_at is not null ${ofThem}
      and a.due_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)
    order by a.due_at, a.id limit ${limit}`)
}

/** Whether one of these accounts is bound to an open agreement of the organization. */
export const isBound = async (
  db: Queryable,
  organization: string,
  account: string,
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from finance_agreements
    where closed_at is null and (borrower_id = ${organization} and settlement_account = ${account}
      or lender_id = ${organization} and funding_account = ${account}) limit 1`)
  return rows.length > 0
}

/** The latest payments of a repayment, oldest first. */
export const repaymentsOf = (db: Queryable, document: string): Promise<Rows['payments'][]> =>
  sealedRows(
    db,
    'payments',
    sql`where t.id in (select id from payments where document_id = ${document}
      order by id desc limit ${limits.repaymentsShownMax}) order by t.id`,
  )

/** What was paid on the pledged invoice, for each payment that triggered a sweep. */
export const proceedsOf = async (
  db: Queryable,
  triggers: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const ids = columnArray('uuid', triggers)
  const rows = await sealedRows(db, 'payments', sql`where t.id = any(${ids})`)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}
