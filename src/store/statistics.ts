/**
 * Sums over the documents and payments of one organization. Each reads at most the newest
 * `statisticsScanMaxRows` rows. Sums check no seals: nothing is decided by them.
 */
import { limits } from '../contract/limits.ts'
import { columnArray } from '../database/binary-arrays.ts'
import { type Queryable, type SqlQuery, raw, sql } from '../database/sql.ts'

export interface Sum {
  start: string | null
  group: string
  bucket: string | null
  currency: string
  amount: bigint
  count: bigint
}

export interface Period {
  from: string
  to: string
  interval: 'day' | 'week' | 'month'
}

export interface StatisticsViewer {
  organization: string
  /** Nothing from before its last sandbox reset is counted. */
  resetPosition: bigint
}

const scanMax = raw(String(limits.statisticsScanMaxRows))

const periodStart = (interval: string, day: SqlQuery): SqlQuery =>
  sql`date_trunc(${interval}, ${day}::timestamp)::date::text`

/** Money that has moved, by the day it settled, and money that will, by the day it is due. */
export const cashFlow = (
  db: Queryable,
  { organization, resetPosition }: StatisticsViewer,
  { from, to, interval }: Period,
): Promise<Sum[]> => {
  const ofSide = (side: SqlQuery, direction: SqlQuery) => sql`
    (select '${direction}' as direction, status, settled_at, scheduled_for, currency, amount
     from payments where ${side}_id = ${organization} and ${side}_position > ${resetPosition}
     order by ${side}_position desc limit ${scanMax})`
  return db.rows<Sum>(sql`
    select ${periodStart(interval, raw('day'))} as start, "group", null as bucket, currency,
      sum(amount)::bigint as amount, count(*) as count
    from (
      select case when status = 'settled' then direction else 'scheduled_' || direction end as "group",
        case when status = 'settled' then settled_at::date else scheduled_for end as day,
        currency, amount
      from (${ofSide(raw('payee'), raw('in'))} union all ${ofSide(raw('payer'), raw('out'))}) p
      where status in ('settled', 'scheduled')) p
    where day between ${from}::date and ${to}::date
    group by 1, 2, 4 order by 1, 2, 4`)
}

interface Owed {
  statuses: readonly string[]
  /** The types whose balance the counterparty pays, or the issuer. */
  paidByCounterparty: readonly string[]
  paidByIssuer: readonly string[]
  today: string
}

const newestViews = ({ organization, resetPosition }: StatisticsViewer): SqlQuery => sql`
  select document_id, side, type, status, document_date from document_views
  where organization_id = ${organization} and position > ${resetPosition}
  order by position desc limit ${scanMax}`

/** Open balances by how many days they are overdue. */
export const ageing = (
  db: Queryable,
  viewer: StatisticsViewer,
  { statuses, paidByCounterparty, paidByIssuer, today }: Owed,
): Promise<Sum[]> =>
  db.rows<Sum>(sql`
    select null as start, "group", bucket, currency, sum(amount)::bigint as amount, count(*) as count
    from (
      select case when (v.side = 'counterparty') = (v.type = any(${columnArray('text', paidByCounterparty)}))
                  then 'payable' else 'receivable' end as "group",
        case when d.due_date is null or d.due_date >= ${today}::date then 'current'
             when ${today}::date - d.due_date <= 30 then '1-30'
             when ${today}::date - d.due_date <= 60 then '31-60'
             when ${today}::date - d.due_date <= 90 then '61-90' else 'over_90' end as bucket,
        d.currency, d.total - d.amount_paid - d.amount_credited as amount
      from (${newestViews(viewer)}) v join documents d on d.id = v.document_id
      where v.status = any(${columnArray('text', statuses)})
        and v.type = any(${columnArray('text', [...paidByCounterparty, ...paidByIssuer])})) o
    where amount > 0 group by 2, 3, 4 order by 2, 3, 4`)

/** Documents by their date and status. */
export const documentsByStatus = (
  db: Queryable,
  viewer: StatisticsViewer,
  { from, to, interval }: Period,
): Promise<Sum[]> =>
  db.rows<Sum>(sql`
    select ${periodStart(interval, raw('v.document_date'))} as start,
      case when v.side = 'issuer' then 'issued' else 'received' end as "group",
      v.status as bucket, d.currency, sum(d.total)::bigint as amount, count(*) as count
    from (${newestViews(viewer)}) v join documents d on d.id = v.document_id
    where v.document_date between ${from}::date and ${to}::date
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`)

/** Whether there are more documents than the sums have read. */
export const hasMoreDocuments = (
  db: Queryable,
  { organization, resetPosition }: StatisticsViewer,
): Promise<boolean> =>
  isLongerThanScan(
    db,
    sql`select 1 from document_views
      where organization_id = ${organization} and position > ${resetPosition}
      order by position desc`,
  )

/** Whether more payments were received, or made, than the cash flow has read. */
export const hasMorePayments = async (
  db: Queryable,
  { organization, resetPosition }: StatisticsViewer,
): Promise<boolean> => {
  const isLonger = (side: SqlQuery) =>
    isLongerThanScan(
      db,
      sql`select 1 from payments
        where ${side}_id = ${organization} and ${side}_position > ${resetPosition}
        order by ${side}_position desc`,
    )
  return (await isLonger(raw('payee'))) || (await isLonger(raw('payer')))
}

const isLongerThanScan = async (db: Queryable, list: SqlQuery): Promise<boolean> => {
  const row = await db.row<{ is_longer: boolean }>(sql`
    select exists (${list} offset ${scanMax} limit 1) as is_longer`)
  return row!.is_longer
}
