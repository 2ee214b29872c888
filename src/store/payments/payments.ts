/** Reads of payments, and the payments that are due. */
import { type SqlQuery, type Queryable, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import type { Rows } from '../../database/rows.ts'
import { checkedRows } from '../../database/sealed-rows.ts'
import { selectList } from '../../database/table-writes.ts'
import { isPaymentVisible } from '../visibility.ts'

export type PaymentRow = Rows['payments']

const columns = selectList('payments', 'p')

export const paymentById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<PaymentRow | undefined> =>
  db
    .rows<PaymentRow>(sql`
      select ${columns} from payments p join organizations o on o.id = ${organization}
      where p.id = ${id} and ${isPaymentVisible}`)
    .then((rows) => checkedRows(db, 'payments', rows)[0])

export interface PaymentListFilters {
  documents?: readonly string[]
  connections?: readonly string[]
  statuses?: readonly string[]
  kinds?: readonly string[]
  direction?: 'outgoing' | 'incoming'
  /** Days of creation, inclusive. */
  since?: string
  until?: string
  updatedSince?: string
}

export type ListedPayment = PaymentRow & { position: bigint }

export const paymentsOf = async (
  db: Queryable,
  request: {
    organization: string
    filters: PaymentListFilters
    before: bigint | undefined
    limit: number
  },
): Promise<ListedPayment[]> => {
  const { organization, filters, before, limit } = request
  const conditions: SqlQuery[] = [
    ...(filters.documents
      ? [sql`p.document_id = any(${columnArray('uuid', filters.documents)})`]
      : []),
    ...(filters.connections
      ? [sql`p.connection_id = any(${columnArray('uuid', filters.connections)})`]
      : []),
    ...(filters.statuses ? [sql`p.status = any(${columnArray('text', filters.statuses)})`] : []),
    ...(filters.kinds ? [sql`p.kind = any(${columnArray('text', filters.kinds)})`] : []),
    ...(filters.since ? [sql`p.created_at >= ${filters.since}::date`] : []),
    ...(filters.until ? [sql`p.created_at < ${filters.until}::date + 1`] : []),
    ...(filters.updatedSince ? [sql`p.updated_at >= ${filters.updatedSince}`] : []),
  ]
  const filter = conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`)
  const resetPosition = sql`(select reset_position from organizations where id = ${organization})`
  const outgoing = sql`select p.payer_position as position, ${columns} from payments p
    where p.payer_id = ${organization} and p.payer_position > ${resetPosition} and ${filter}
      ${before === undefined ? sql`` : sql`and p.payer_position < ${before}`}
    order by p.payer_position desc limit ${limit}`
  const incoming = sql`select p.payee_position as position, ${columns} from payments p
    where p.payee_id = ${organization} and p.payee_position > ${resetPosition} and ${filter}
      ${before === undefined ? sql`` : sql`and p.payee_position < ${before}`}
    order by p.payee_position desc limit ${limit}`
  const both = sql`
    select * from ((${outgoing}) union all (${incoming})) p order by position desc limit ${limit}`
  const { direction } = filters
  const page = direction === undefined ? both : direction === 'outgoing' ? outgoing : incoming
  return checkedRows(db, 'payments', await db.rows<ListedPayment>(page))
}

/** A due payment, with the columns needed to advance it. */
export interface DuePayment {
  id: string
  document_id: string
  payer_id: string
  due_at: string
  status: string
  rail: string
}

/**
 * Payments that are due by the payer's clock, earliest first: the real clock, or that of a sandbox
 * that is ahead of it. Optionally only those of some payers.
 */
export const duePayments = (
  db: Queryable,
  limit: number,
  organizations?: readonly string[],
): Promise<DuePayment[]> => {
  const ofPayers =
    organizations === undefined
      ? sql``
      : sql`and p.payer_id = any(${columnArray('uuid', organizations)})`
  return db.rows<DuePayment>(sql`
    select id, document_id, payer_id, due_at, status, rail from (
      (select p.* from payments p where p.due_at <= clock_timestamp() ${ofPayers}
       order by p.due_at limit ${limit})
      union
      (select p.* from organizations o join payments p on p.payer_id = o.id
       where o.clock_offset_seconds > 0
         and p.due_at <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds) ${ofPayers}
       order by p.due_at limit ${limit})) due
    order by due_at, id limit ${limit}`)
}
