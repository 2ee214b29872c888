/** Reads of agreements: those that are due, and the payments of their repayment. */
import type { AgreementRow } from '../../core/finance/finance-views.ts'
import {
  type LoanDocuments,
  agreesWithDocuments,
  isFrozenLoan,
} from '../../core/finance/current-agreement.ts'
import { amountInFlight } from '../../core/payments/payment-record.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { packedRow, unpackRow } from '../../database/packed-rows.ts'
import { type RowSeals, missingRow, oldRow } from '../../database/row-seals.ts'
import { sealedRows } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { isNewestVersion } from '../documents/newest-version.ts'
import { type FinancePage, isPartyOf, pageOfParty } from './finance-pages.ts'
import { type DueRowsRequest, isPast } from '../due-rows.ts'
import { isAmong } from '../../database/conditions.ts'

export interface DueAgreement {
  id: string
  agreement_document: string
  due_at: string
  due_by: string
}

/** Agreements with a deadline that has passed by the clock of whom it concerns. */
export const dueAgreements = (db: Queryable, request: DueRowsRequest): Promise<DueAgreement[]> =>
  db.rows(sql`
    select a.id, a.agreement_document, a.due_at, a.due_by from finance_agreements a
    join organizations o on o.id = a.due_by
    where a.due_at is not null and ${isPast('a.due_at', request)}
      and ${isAmong('a.due_by', 'uuid', request.organizations)}
    order by a.due_at, a.id limit ${request.limit}`)

type PackedAgreement = Record<keyof LoanDocuments | 'old_document', string | null> & {
  agreement: string
}

/** SQL: null if it is gone. */
const ofDocument = (alias: string): SqlQuery =>
  sql`case when ${raw(alias)}.id is not null then ${packedRow('documents', alias)} end`

export interface CurrentAgreement {
  agreement: AgreementRow
  /** Borrower or lender has reset its sandbox, so that nothing of it changes any more. */
  isFrozen: boolean
  /** What is being repaid in a payment under way. */
  inFlight: bigint
}

/**
 * The agreements `t`; `rest` is what follows the FROM clause. Throws BrokenSeal for an old row: it
 * disagrees with its documents, which are of the same snapshot, and the newest of themselves.
 */
const currentAgreements = async (db: Queryable, rest: SqlQuery): Promise<CurrentAgreement[]> => {
  const rows = await db.rows<PackedAgreement>(sql`
    select ${packedRow('finance_agreements', 't')} as agreement,
      ${ofDocument('c')} as contract, ${ofDocument('p')} as disbursement,
      ${ofDocument('r')} as repayment,
      (select d.id from documents d where d.id in (c.id, p.id, r.id)
        and not ${raw(isNewestVersion)} limit 1) as old_document
    from finance_agreements t
    left join documents c on c.id = t.agreement_document
    left join documents p on p.id = t.disbursement_document
    left join documents r on r.id = t.repayment_document ${rest}`)
  return rows.map((row) => currentAgreement(db.seals, row))
}

const currentAgreement = (seals: RowSeals, row: PackedAgreement): CurrentAgreement => {
  const agreement = unpackRow(seals, 'finance_agreements', row.agreement)
  const document = (packed: string | null, id: string) => {
    if (packed === null) throw missingRow('documents', id)
    return unpackRow(seals, 'documents', packed)
  }
  const documents = {
    contract: document(row.contract, agreement.agreement_document),
    disbursement: document(row.disbursement, agreement.disbursement_document),
    repayment: document(row.repayment, agreement.repayment_document),
  }
  if (row.old_document !== null) throw oldRow('documents', row.old_document)
  if (!agreesWithDocuments(agreement, documents)) throw oldRow('finance_agreements', agreement.id)
  const inFlight = amountInFlight(documents.repayment.payment)
  return { agreement, isFrozen: isFrozenLoan(documents), inFlight }
}

/** An agreement of which the organization is a party, since its last reset. */
export const agreementOf = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<AgreementRow | undefined> => {
  const isOwn = isPartyOf('finance_agreements', organization)
  return (await currentAgreements(db, sql`where t.id = ${id} and ${isOwn}`))[0]?.agreement
}

export const agreementsPage = (db: Queryable, page: FinancePage): Promise<CurrentAgreement[]> =>
  currentAgreements(db, pageOfParty('finance_agreements', page))

/** Whether the account is bound to an agreement of the organization that can still need it. */
export const isBound = async (
  db: Queryable,
  organization: string,
  account: string,
): Promise<boolean> => {
  const rows = await db.rows(sql`
    select 1 from finance_agreements a join documents d on d.id = a.agreement_document
    where a.closed_at is null and not d.is_frozen
      and (a.borrower_id = ${organization} and a.settlement_account = ${account}
        or a.lender_id = ${organization} and a.funding_account = ${account}) limit 1`)
  return rows.length > 0
}

/** What was paid on the pledged invoice, for each payment that triggered a sweep. */
export const proceedsOf = async (
  db: Queryable,
  triggers: readonly string[],
): Promise<ReadonlyMap<string, bigint>> => {
  const ids = columnArray('uuid', triggers)
  const rows = await sealedRows(db, 'payments', sql`where t.id = any(${ids})`)
  return new Map(rows.map(({ id, amount }) => [id, amount]))
}
