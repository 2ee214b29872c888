/** The projected balance as a line, over the bars of what moves it. */
import type { Currency } from '../api/types.ts'
import { dateText } from '../design/dates.ts'
import { DateText, Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
import { type Week, totalOf } from './projected-weeks.ts'

export interface WeeksProps {
  currency: Currency
  now: number
  weeks: readonly Week[]
}

const width = 320
const height = 96

export const ProjectionChart = ({ currency, now, weeks }: WeeksProps) => {
  const balances = [now, ...weeks.map(({ balance }) => balance)]
  const [least, most] = rangeOf(balances)
  const y = (amount: number) => height - ((amount - least) / (most - least || 1)) * height
  const x = (i: number) => (i / weeks.length) * width
  const line = balances.map((balance, i) => `${x(i)},${y(balance)}`).join(' ')
  const hasZero = least <= 0 && most >= 0
  return (
    <div
      role="img"
      aria-label={`The balance goes from ${moneyText(now, currency)} to ${moneyText(weeks.at(-1)!.balance, currency)} by ${dateText(weeks.at(-1)!.to)}. The table has each week.`}
    >
      <div className="flex gap-2">
        <div className="min-w-0 flex-1">
          <svg
            viewBox={`0 -2 ${width} ${height + 4}`}
            preserveAspectRatio="none"
            className="h-24 w-full overflow-visible"
          >
            {hasZero && (
              <>
                <Level at={y(0)} />
                <polygon
                  points={`0,${y(0)} ${line} ${width},${y(0)}`}
                  className="fill-accent-tint"
                />
              </>
            )}
            <polyline
              points={line}
              fill="none"
              strokeWidth="2"
              className="stroke-accent"
              vectorEffect="non-scaling-stroke"
            />
          </svg>
          <Moves weeks={weeks} />
        </div>
        <p className="flex h-24 flex-col justify-between text-right text-xs leading-none text-muted">
          <Money amount={most} currency={currency} />
          <Money amount={least} currency={currency} />
        </p>
      </div>
      <p className="mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span>
          <DateText date={weeks[0]!.start} /> – <DateText date={weeks.at(-1)!.to} />
        </span>
        <span>line: balance · green: in · grey: out</span>
      </p>
    </div>
  )
}

/** From zero, unless the balance stays so far from it that its changes could not be seen. */
const rangeOf = (balances: readonly number[]): [least: number, most: number] => {
  const [least, most] = [Math.min(...balances), Math.max(...balances)]
  return least > most / 2 && least < most ? [least, most] : [Math.min(least, 0), Math.max(most, 0)]
}

const Level = ({ at }: { at: number }) => (
  <line
    x1="0"
    x2={width}
    y1={at}
    y2={at}
    className="stroke-edge"
    vectorEffect="non-scaling-stroke"
  />
)

/** In and out of each week, beside each other. */
const Moves = ({ weeks }: Pick<WeeksProps, 'weeks'>) => {
  const largest = Math.max(...weeks.flatMap((week) => [totalOf(week, 'in'), totalOf(week, 'out')]))
  const share = (week: Week, way: 'in' | 'out') => ({
    height: `${(totalOf(week, way) / (largest || 1)) * 100}%`,
  })
  return (
    <div className="mt-2 flex h-16 items-end gap-1 border-b border-edge">
      {weeks.map((week) => (
        <span key={week.start} className="flex h-full flex-1 items-end gap-px">
          <span className="bar flex-1 rounded-t-sm bg-green" style={share(week, 'in')} />
          <span className="bar bar-plain flex-1 rounded-t-sm bg-faint" style={share(week, 'out')} />
        </span>
      ))}
    </div>
  )
}
