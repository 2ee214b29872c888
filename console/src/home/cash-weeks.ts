/** Money in and out by week: what has settled, and what is due or scheduled. */
import type { Currency, Statistics } from '../api/types.ts'
import { sumOf } from '../design/money.ts'
import { daysLater, weeksOf } from './days.ts'

export interface CashWeek {
  start: string
  end: string
  in: number
  out: number
  /** Expected; what is late counts in the current week. */
  nextIn: number
  nextOut: number
  /** Nothing of it has passed. */
  isAhead: boolean
}

export type CashAmount = 'in' | 'out' | 'nextIn' | 'nextOut'

const groups: Readonly<Record<CashAmount, readonly string[]>> = {
  in: ['in'],
  out: ['out'],
  nextIn: ['due_in', 'scheduled_in'],
  nextOut: ['due_out', 'scheduled_out'],
}

type Points = Statistics['points']

const amountIn = (points: Points, week: string, amount: CashAmount): number =>
  sumOf(
    points
      .filter(({ start, group }) => start === week && groups[amount].includes(group!))
      .map((point) => point.amount),
  )

/** Of one currency; without a projection, of the past alone. */
export const cashWeeksOf = (
  currency: Currency,
  past: Statistics,
  ahead: Statistics | undefined,
): CashWeek[] => {
  const own = ({ points }: Statistics) => points.filter((point) => point.currency === currency)
  const [settled, expected] = [own(past), ahead === undefined ? [] : own(ahead)]
  const starts = new Set([...weeksOf(past), ...(ahead === undefined ? [] : weeksOf(ahead))])
  return [...starts]
    .toSorted()
    .map((start) => ({
      start,
      end: daysLater(start, 6),
      isAhead: start > past.to,
      in: amountIn(settled, start, 'in'),
      out: amountIn(settled, start, 'out'),
      nextIn: amountIn(expected, start, 'nextIn'),
      nextOut: amountIn(expected, start, 'nextOut'),
    }))
}

/** With something in a week. */
export const cashCurrencies = (past: Statistics, ahead: Statistics | undefined): Currency[] => {
  const expected = ahead?.points.filter(({ group, start }) => start !== null && group !== 'balance')
  return [
    ...new Set([...past.points, ...(expected ?? [])].map(({ currency }) => currency)),
  ].toSorted()
}
