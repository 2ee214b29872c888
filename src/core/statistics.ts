/** What a document or a payment counts as in statistics, and sums of them (contract 12). */
import { isOwed } from '../contract/document-phases.ts'
import { type DocumentTypeName, type Side, documentTypes } from '../contract/document-types.ts'
import type { Rows } from '../database/rows.ts'
import { addDays, daysBetween, dateOf } from './dates.ts'

export interface Period {
  from: string
  to: string
  interval: 'day' | 'week' | 'month'
}

export interface Counted {
  start: string | null
  group: string
  bucket: string | null
  currency: string
  amount: bigint
  /** How long it took, where that counts. */
  days?: number
}

export type Sum = Omit<Counted, 'days'> & { count: number; days: number[] }

export type CountedDocument = Pick<
  Rows['documents'],
  | 'type'
  | 'status'
  | 'currency'
  | 'document_date'
  | 'due_date'
  | 'total'
  | 'amount_paid'
  | 'amount_credited'
> & {
  /** A repayment of which nothing is owed yet. */
  isUnfunded: boolean
  /** Nobody can pay it any more, since the other side has reset its sandbox. */
  isFrozen: boolean
}

/** The last payment of a document. */
export type LastPayment = Pick<
  Rows['payments'],
  'status' | 'amount' | 'settled_at' | 'scheduled_for'
>

export type CountedPayment = LastPayment & Pick<Rows['payments'], 'currency'>

/** Adds to the sum of what has the same period, group, bucket and currency. */
export const addUp = (counted: Counted | undefined, sums: Map<string, Sum>): void => {
  if (counted === undefined) return
  const { start, group, bucket, currency, amount, days } = counted
  const key = `${start ?? ''} ${group} ${bucket ?? ''} ${currency}`
  const sum = sums.get(key)
  if (sum === undefined) {
    const lasted = days === undefined ? [] : [days]
    sums.set(key, { start, group, bucket, currency, amount, count: 1, days: lasted })
    return
  }
  sum.amount += amount
  sum.count += 1
  if (days !== undefined) sum.days.push(days)
}

/** The smallest of the values that this share of them does not exceed. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!

/** In the order of the response. */
export const inOrder = (sums: ReadonlyMap<string, Sum>): Sum[] =>
  [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)

export const openAmountOf = ({
  total,
  amount_paid: paid,
  amount_credited: credited,
}: Pick<CountedDocument, 'total' | 'amount_paid' | 'amount_credited'>): bigint =>
  total - paid - credited

/** Who is going to pay what is open of a document; undefined if nobody is. */
export const expectedPayer = ({
  type,
  status,
  isFrozen,
}: Pick<CountedDocument, 'type' | 'status' | 'isFrozen'>): Side | undefined => {
  const { payer } = documentTypes[type as DocumentTypeName]
  return payer === null || !isOwed(status) || isFrozen ? undefined : payer
}

/** What is open of a document, by how many days it is overdue. */
export const ageingOf = (
  document: CountedDocument,
  { side, today }: { side: Side; today: string },
): Counted | undefined => {
  const payer = expectedPayer(document)
  const amount = openAmountOf(document)
  if (payer === undefined || document.isUnfunded || amount <= 0n) return undefined
  return {
    start: null,
    group: payer === side ? 'payable' : 'receivable',
    bucket: overdueBucket(document.due_date, today),
    currency: document.currency,
    amount,
  }
}

const overdueBucket = (dueDate: string | null, today: string): string => {
  const days = dueDate === null ? 0 : daysBetween(dueDate, today)
  if (days <= 0) return 'current'
  if (days <= 30) return '1-30'
  if (days <= 60) return '31-60'
  return days <= 90 ? '61-90' : 'over_90'
}

/** A document by its date and status. */
export const documentByStatus = (
  { document_date: day, status, currency, total }: CountedDocument,
  { side, period }: { side: Side; period: Period },
): Counted | undefined => {
  if (day < period.from || day > period.to) return undefined
  return {
    start: periodStart(day, period.interval),
    group: side === 'issuer' ? 'issued' : 'received',
    bucket: status,
    currency,
    amount: total,
  }
}

/** Money that has moved, by the day it settled, and money that will, by the day it is due. */
export const cashFlowOf = (
  { status, currency, amount, settled_at: settledAt, scheduled_for: due }: CountedPayment,
  { direction, period }: { direction: 'incoming' | 'outgoing'; period: Period },
): Counted | undefined => {
  const day = status === 'settled' ? dateOf(settledAt!) : status === 'scheduled' ? due : null
  if (day === null || day < period.from || day > period.to) return undefined
  const way = direction === 'incoming' ? 'in' : 'out'
  return {
    start: periodStart(day, period.interval),
    group: status === 'settled' ? way : `scheduled_${way}`,
    bucket: null,
    currency,
    amount,
  }
}

/** Weeks begin on Monday. */
export const periodStart = (day: string, interval: Period['interval']): string => {
  if (interval === 'day') return day
  if (interval === 'month') return `${day.slice(0, 7)}-01`
  return addDays(day, -((new Date(day).getUTCDay() + 6) % 7))
}
