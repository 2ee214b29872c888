/** The weeks of a projection: what moves the balance of one currency, and what it is after them. */
import type { Statistics } from '../api/types.ts'
import { sumOf } from '../design/money.ts'
import { daysLater, weeksOf } from '../home/days.ts'

type Point = Statistics['points'][number]

export interface Week {
  start: string
  /** The days of it that are ahead. */
  from: string
  to: string
  points: readonly Point[]
  balance: number
}

export const weeksWith = ({ from, to }: Statistics, points: readonly Point[]): Week[] =>
  weeksOf({ from, to }).map((start) => {
    const own = points.filter((point) => point.start === start)
    return {
      start,
      from: start < from ? from : start,
      to: daysLater(start, 6),
      points: own.filter(({ group }) => group !== 'balance'),
      balance: own.find(({ group }) => group === 'balance')!.amount,
    }
  })

export const totalOf = ({ points }: Pick<Week, 'points'>, way: 'in' | 'out'): number =>
  sumOf(points.filter(({ group }) => group.endsWith(way)).map(({ amount }) => amount))
