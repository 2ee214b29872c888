/** Reads of payments, and the payments that are due. */
import { type Queryable, type SqlQuery, raw, sql } from '../../database/sql.ts'
import { limits } from '../../contract/limits.ts'
import { isCurrentPayment } from '../../core/payments/payment-record.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { oldRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import { checkedRows } from '../../database/sealed-rows.ts'
import { selectList } from '../../database/table-writes.ts'
import type { ChangePlace } from '../documents/document-changes.ts'
import { isPaymentVisible } from '../visibility.ts'
import { type DueRowsRequest, isPast, secondsAhead } from '../due-rows.ts'
import { conjunction, ifGiven, isAmong } from '../../database/conditions.ts'
import { countOf } from '../../database/counts.ts'

export type PaymentRow = Rows['payments']

const columns = selectList('payments', 'p')

/**
 * What the document of a payment `p` stores of its newest payment. Null if `p` is an earlier one
 * that was returned, though its row says that it has settled. The document is not proven here:
 * whoever changes it, too, breaks its seal.
 */
const storedInDocument = raw(`(select case
    when p.status = 'settled' and substr(d.payment, 8, 36) <> p.id::text
      and exists (select from ledger_tx t where t.reverses = p.in_tx)
      then null
    else d.payment end
  from documents d where d.id = p.document_id) as stored_in_document`)

/** Throws BrokenSeal if a row is not as it was sealed, or not the last one of its payment. */
const currentPayments = async <R extends PaymentRow>(
  db: Queryable,
  query: SqlQuery,
): Promise<R[]> => {
  const rows = await db.rows<R & { stored_in_document: string | null }>(query)
  for (const row of checkedRows(db, 'payments', rows)) {
    if (!isCurrentPayment(row, row.stored_in_document)) throw oldRow('payments', row.id)
  }
  return rows
}

export const paymentById = async (
  db: Queryable,
  organization: string,
  id: string,
): Promise<PaymentRow | undefined> => {
  const [row] = await currentPayments(
    db,
    sql`select ${columns}, ${storedInDocument}
      from payments p join organizations o on o.id = ${organization}
      where p.id = ${id} and ${isPaymentVisible}`,
  )
  return row
}

/** Those of these payments that exist. */
export const paymentsById = (db: Queryable, ids: readonly string[]): Promise<PaymentRow[]> =>
  currentPayments(
    db,
    sql`select ${columns}, ${storedInDocument} from payments p
      where p.id = any(${columnArray('uuid', ids)})`,
  )

/** The latest payments of a document, oldest first. */
export const latestPaymentsOf = (
  db: Queryable,
  document: string,
  limit: number,
): Promise<PaymentRow[]> =>
  currentPayments(
    db,
    sql`select ${columns}, ${storedInDocument} from payments p
      where p.id in (select id from payments where document_id = ${document}
        order by id desc limit ${limit}) order by p.id`,
  )

/**
 * The payments of these documents that have settled and were not returned, the last one last.
 * Whoever sees a document since a reset sees all of its payments, which came later.
 */
export const settledPaymentsOf = (
  db: Queryable,
  documents: readonly string[],
): Promise<PaymentRow[]> =>
  currentPayments(
    db,
    sql`select ${columns}, ${storedInDocument} from payments p
      where p.document_id = any(${columnArray('uuid', documents)}) and p.status = 'settled'
      order by p.settled_at, p.id`,
  )

/** Payments of these documents with one of these amounts, newest first. */
export const paymentsOfAmounts = (
  db: Queryable,
  organization: string,
  {
    documents,
    amounts,
    limit,
  }: { documents: readonly string[]; amounts: readonly bigint[]; limit: number },
): Promise<PaymentRow[]> =>
  currentPayments(
    db,
    sql`select p.*, ${storedInDocument} from (
      select ${columns} from payments p join organizations o on o.id = ${organization}
      where p.document_id = any(${columnArray('uuid', documents)})
        and p.amount = any(${columnArray('bigint', amounts)}) and ${isPaymentVisible}
      order by p.created_at desc, p.id limit ${limit}) p
    order by p.created_at desc, p.id`,
  )

export interface PaymentListFilters {
  documents?: readonly string[] | undefined
  connections?: readonly string[] | undefined
  statuses?: readonly string[] | undefined
  kinds?: readonly string[] | undefined
  direction?: 'outgoing' | 'incoming' | undefined
  /** Days of creation, inclusive. */
  since?: string | undefined
  until?: string | undefined
  updatedSince?: string | undefined
  currencies?: readonly string[] | undefined
  /** Days of settlement, inclusive. */
  settledFrom?: string | undefined
  settledTo?: string | undefined
}

export type ListedPayment = PaymentRow & { position: bigint }

interface PaymentListRequest {
  organization: string
  filters: PaymentListFilters
  limit: number
}

/** Payments, newest first, before a position. */
export const paymentsOf = (
  db: Queryable,
  request: PaymentListRequest & { before: bigint | undefined },
): Promise<ListedPayment[]> => {
  const { before } = request
  return pageBy(db, request, {
    order: 'position desc',
    after: (side) => (before === undefined ? sql`` : sql`and p.${side}_position < ${before}`),
  })
}

/** Payments in the order of their last change, oldest first, from a place in that order. */
export const paymentChanges = (
  db: Queryable,
  request: PaymentListRequest & { after: ChangePlace | undefined },
): Promise<ListedPayment[]> => {
  const { after } = request
  const place =
    after === undefined
      ? sql``
      : sql`and p.updated_at >= ${after.updated_at}
          and (p.updated_at, p.id) > (${after.updated_at}, ${after.id}::uuid)`
  return pageBy(db, request, { order: 'updated_at, id', after: () => place })
}

/** A page is the merged beginning of two index ranges: what the organization pays, and receives. */
const pageBy = async (
  db: Queryable,
  request: PaymentListRequest,
  {
    order,
    after,
  }: { order: 'position desc' | 'updated_at, id'; after: (side: SqlQuery) => SqlQuery },
): Promise<ListedPayment[]> => {
  const { filters, limit } = request
  const ofSide = (side: SqlQuery): SqlQuery => sql`
    select p.${side}_position as position, ${columns} ${ofOrganization(request, side)}
      ${after(side)}
    order by ${raw(order)} limit ${limit}`
  const [outgoing, incoming] = [ofSide(raw('payer')), ofSide(raw('payee'))]
  const both = sql`
    select * from ((${outgoing}) union all (${incoming})) p order by ${raw(order)} limit ${limit}`
  const { direction } = filters
  const page = direction === undefined ? both : direction === 'outgoing' ? outgoing : incoming
  return currentPayments(
    db,
    sql`select p.*, ${storedInDocument} from (${page}) p order by ${raw(order)}`,
  )
}

/** What the organization pays (`payer`), or receives (`payee`), since its last reset. */
const ofOrganization = (
  { organization, filters }: PaymentListRequest,
  side: SqlQuery,
): SqlQuery => sql`from payments p
    where p.${side}_id = ${organization} and ${conditionOf(filters)} and p.${side}_position >
      (select reset_position from organizations where id = ${organization})`

/** How many payments match, counted up to a limit for each direction. */
export const countPayments = (db: Queryable, request: PaymentListRequest): Promise<number> => {
  const ofSide = (side: string): SqlQuery => sql`(select count(*) from (
    select 1 ${ofOrganization(request, raw(side))} limit ${request.limit}) p)`
  const { direction } = request.filters
  const outgoing = direction === 'incoming' ? sql`0` : ofSide('payer')
  const incoming = direction === 'outgoing' ? sql`0` : ofSide('payee')
  return countOf(db, sql`select ${outgoing} + ${incoming} as count`)
}

const conditionOf = (filters: PaymentListFilters): SqlQuery =>
  conjunction([
    isAmong('p.document_id', 'uuid', filters.documents),
    isAmong('p.connection_id', 'uuid', filters.connections),
    isAmong('p.status', 'text', filters.statuses),
    isAmong('p.kind', 'text', filters.kinds),
    ifGiven(filters.since, (day) => sql`p.created_at >= ${day}::date`),
    ifGiven(filters.until, (day) => sql`p.created_at < ${day}::date + 1`),
    ifGiven(filters.updatedSince, (time) => sql`p.updated_at >= ${time}`),
    isAmong('p.currency', 'text', filters.currencies),
    // What settled since then has changed since then, which an index knows.
    ifGiven(
      filters.settledFrom,
      (day) => sql`p.settled_at >= ${day}::date and p.updated_at >= ${day}::date`,
    ),
    ifGiven(filters.settledTo, (day) => sql`p.settled_at < ${day}::date + 1`),
  ])

/** A due payment, with the columns needed to advance it. */
export interface DuePayment {
  id: string
  document_id: string
  payer_id: string
  due_at: string
  status: string
  rail: string
}

type DuePaymentsRequest = DueRowsRequest & { rails: readonly string[] }

/**
 * Payments on these rails that are due by the payer's clock, earliest first: the real clock, or
 * that of a sandbox that is ahead of it. If there are more, payers take turns within each minute:
 * all that is scheduled for a day falls due in the same moment.
 */
export const duePayments = async (
  db: Queryable,
  request: DuePaymentsRequest,
): Promise<DuePayment[]> => {
  const { limit, organizations } = request
  const found = await db.rows<DuePayment>(sql`
    ${duePaymentsUpTo(limit, request)} order by due_at, id limit ${limit}`)
  if (found.length < limit || organizations !== undefined) return found
  const most = Math.max(limit, limits.duePaymentsInTurnsMax)
  return db.rows<DuePayment>(sql`
    select id, document_id, payer_id, due_at, status, rail from (
      select *, date_trunc('minute', due_at) as minute, row_number() over
        (partition by payer_id, date_trunc('minute', due_at) order by due_at, id) as turn
      from (${duePaymentsUpTo(most, request)}) found) found
    order by minute, turn, due_at, id limit ${limit}`)
}

const duePaymentsUpTo = (most: number, request: DuePaymentsRequest): SqlQuery => {
  const rest = sql`${isAmong('p.rail', 'text', request.rails)}
    and ${isAmong('p.payer_id', 'uuid', request.organizations)}
    order by p.due_at limit ${most}`
  return sql`
    select id, document_id, payer_id, due_at, status, rail from (
      (select p.* from payments p where p.due_at <= pg_catalog.clock_timestamp() and ${rest})
      union
      (select p.* from organizations o join payments p on p.payer_id = o.id
       where ${secondsAhead(request)} > 0 and ${isPast('p.due_at', request)} and ${rest})) due`
}
