/**
 * What the balance of an organization becomes when what is owed is paid on its due date and what is
 * scheduled on its day (console 1.2). It is a forecast: a document without a due date is in no
 * period, and what is overdue counts as due at once.
 */
import type { Side } from '../contract/document-types.ts'
import { limits } from '../contract/limits.ts'
import { addDays } from './dates.ts'
import { isInProgress } from './payments/payment-record.ts'
import {
  type Counted,
  type CountedDocument,
  type LastPayment,
  type Period,
  type Sum,
  addUp,
  expectedPayer,
  openAmountOf,
  periodStart,
} from './statistics.ts'

export type ProjectedDocument = Omit<CountedDocument, 'document_date'> & {
  payment: LastPayment | null
}

export const defaultEnd = (today: string): string =>
  addDays(periodStart(today, 'week'), limits.projectionDefaultDays - 1)

/** A document by the days on which it is expected to be paid: by its payment, and what is left. */
export const expectedOf = (
  document: ProjectedDocument,
  { side, period }: { side: Side; period: Period },
): Counted[] => {
  const payer = expectedPayer(document)
  if (payer === undefined) return []
  const way = payer === side ? 'out' : 'in'
  const { currency, payment, status, due_date: due } = document
  const isPaying = status === 'payment_scheduled' && isInProgress(payment!.status)
  const paying = isPaying ? payment : null
  const expected: Counted[] = []
  // A payment under way has left the payer's available balance, and arrives at the payee's.
  if (paying !== null && (paying.status === 'scheduled' || way === 'in')) {
    const day = paying.status === 'scheduled' ? paying.scheduled_for! : period.from
    const { amount } = paying
    expected.push({ ...placeOf(day, period), group: `scheduled_${way}`, currency, amount })
  }
  const amount = openAmountOf(document) - (paying?.amount ?? 0n)
  if (amount > 0n && !document.isUnfunded)
    expected.push({ ...placeOf(due, period), group: `due_${way}`, currency, amount })
  return expected
}

const placeOf = (
  day: string | null,
  { from, to, interval }: Period,
): Pick<Counted, 'start' | 'bucket'> => {
  if (day === null) return { start: null, bucket: 'undated' }
  if (day > to) return { start: null, bucket: 'later' }
  if (day < from) return { start: periodStart(from, interval), bucket: 'overdue' }
  return { start: periodStart(day, interval), bucket: 'due' }
}

interface AvailableBalance {
  currency: string
  available: bigint
}

/** Adds the balance of each currency: now, and at the end of each period. */
export const addBalances = (
  sums: Map<string, Sum>,
  accounts: readonly AvailableBalance[],
  { from, to, interval }: Period,
): void => {
  const expected = [...sums.values()]
  const currencies = new Set([...accounts, ...expected].map(({ currency }) => currency))
  for (const currency of currencies) {
    const balance = { group: 'balance', bucket: null, currency }
    const own = accounts.filter((account) => account.currency === currency)
    let amount = own.reduce((sum, { available }) => sum + available, 0n)
    addUp({ ...balance, start: null, amount }, sums)
    for (const start of startsOf({ from, to, interval })) {
      for (const one of expected)
        if (one.start === start && one.currency === currency)
          amount += one.group.endsWith('_in') ? one.amount : -one.amount
      addUp({ ...balance, start, amount }, sums)
    }
  }
}

const startsOf = ({ from, to, interval }: Period): string[] => {
  const starts: string[] = []
  for (let start = periodStart(from, interval); start <= to; start = nextStart(start, interval))
    starts.push(start)
  return starts
}

/** Every month has ended 31 days after its first. */
const nextStart = (start: string, interval: Period['interval']): string =>
  periodStart(addDays(start, { day: 1, week: 7, month: 31 }[interval]), interval)
