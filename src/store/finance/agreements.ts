/** Reads of agreements: those that are due, and the payments of their repayment. */
import { limits } from '../../contract/limits.ts'
import type { AgreementRow } from '../../core/finance/finance-views.ts'
import { type LoanDocuments, agreesWithDocuments } from '../../core/finance/current-agreement.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { isPartyOf } from './finance-pages.ts'

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

/**
 * An agreement of which the organization is a party, since its last reset. Throws BrokenSeal for an
 * old row: it disagrees with its documents, which are of the same snapshot.
 */
export const agreementOf = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AgreementRow | undefined> => {
  const row = await db.row<Record<'agreement' | keyof LoanDocuments, string>>(sql`
    select ${packedRow('finance_agreements', 't')} as agreement,
      ${packedRow('documents', 'c')} as contract, ${packedRow('documents', 'd')} as disbursement,
      ${packedRow('documents', 'r')} as repayment
    from finance_agreements t
    join documents c on c.id = t.agreement_document
    join documents d on d.id = t.disbursement_document
    join documents r on r.id = t.repayment_document
    where t.id = ${id} and ${isPartyOf('finance_agreements', organization)}`)
  if (row === undefined) return undefined
  const agreement = unpackRow(db.seals, 'finance_agreements', row.agreement)
  const document = (packed: string) => unpackRow(db.seals, 'documents', packed)
  const documents = {
    contract: document(row.contract),
    disbursement: document(row.disbursement),
    repayment: document(row.repayment),
  }
  if (!agreesWithDocuments(agreement, documents)) throw oldRow('finance_agreements', id)
  return agreement
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
