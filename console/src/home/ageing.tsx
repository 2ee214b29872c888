/** What is owed, by how long it is overdue. Currencies are never added up. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { Money } from '../design/format.tsx'
import { moneyText, sumOf } from '../design/money.ts'
import { Chart, ChartTable } from './chart.tsx'
import { daysLater } from './days.ts'
import { Panel, Region } from '../design/layout.tsx'

/** How many days late: at least, and at most. What has no due date is not due yet. */
const buckets = [
  ['current', 'Not due yet', undefined, 0],
  ['1-30', '1–30 days late', 1, 30],
  ['31-60', '31–60 days late', 31, 60],
  ['61-90', '61–90 days late', 61, 90],
  ['over_90', 'Over 90 days late', 91, undefined],
] as const

const dueWithin = (today: string, least: number | undefined, most: number | undefined) => ({
  ...(most === undefined ? {} : { due_from: daysLater(today, -most) }),
  ...(least === undefined ? {} : { due_to: daysLater(today, -least) }),
})

const groups = [
  ['receivable', 'Owed to you'],
  ['payable', 'You owe'],
] as const

export const Ageing = () => {
  const read = useRead<Statistics>('/v1/statistics', { metric: 'ageing' })
  return (
    <Panel title="What is owed">
      <Region read={read} skeleton="m-4 h-40">
        {({ points, to }) =>
          points.length === 0 ? (
            <p className="px-4 py-3 text-muted">Nothing is owed in either direction.</p>
          ) : (
            <Chart
              title="What is owed"
              sentence={owedIn(points).map(sentenceOf).join(' ')}
              table={<OwedTable points={points} />}
            >
              <div className="grid gap-5">
                {owedIn(points).map((owed) => (
                  <Owed key={owed.group + owed.currency} {...owed} today={to} />
                ))}
              </div>
            </Chart>
          )
        }
      </Region>
    </Panel>
  )
}

type Point = Statistics['points'][number]

const currenciesIn = (points: readonly Point[], group: string): Currency[] => [
  ...new Set(points.filter((point) => point.group === group).map(({ currency }) => currency)),
]

interface OwedSums {
  /** Also the name of the view that lists it. */
  group: string
  title: string
  currency: Currency
  points: readonly Point[]
}

const owedIn = (points: readonly Point[]): OwedSums[] =>
  groups.flatMap(([group, title]) =>
    currenciesIn(points, group).map((currency) => ({
      group,
      title,
      currency,
      points: points.filter((point) => point.group === group && point.currency === currency),
    })),
  )

const sentenceOf = ({ title, currency, points }: OwedSums): string => {
  const sum = (of: readonly Point[]) => moneyText(sumOf(of.map(({ amount }) => amount)), currency)
  const late = points.filter(({ bucket }) => bucket !== 'current')
  return `${title}: ${sum(points)}, of which ${sum(late)} is late.`
}

const OwedTable = ({ points }: { points: readonly Point[] }) => (
  <ChartTable
    caption="By how long it is overdue"
    titles={['Since when', 'Owed to you', 'You owe']}
    rows={[...new Set(points.map(({ currency }) => currency))].flatMap((currency) =>
      buckets.map(([bucket, label]): [string, ...ReactNode[]] => [
        `${label}, ${currency}`,
        ...groups.map(([group]) => {
          const found = points.find(
            (one) => one.group === group && one.currency === currency && one.bucket === bucket,
          )
          return found ? <Money amount={found.amount} currency={currency} /> : '–'
        }),
      ]),
    )}
  />
)

interface OwedProps extends OwedSums {
  /** By the organization's clock. */
  today: string
}

const Owed = ({ group, title, today, currency, points }: OwedProps) => {
  const { organization } = useSession()
  const total = sumOf(points.map(({ amount }) => amount))
  const search = { view: group, currency }
  return (
    <section>
      <h3 className="text-sm text-muted">{title}</h3>
      <p className="tabular text-xl font-semibold tracking-tight">
        <Link
          to="/o/$org/documents"
          params={{ org: organization.id }}
          search={search}
          className="hover:text-accent"
        >
          <Money amount={total} currency={currency} />
        </Link>
      </p>
      <ul className="mt-1 text-sm">
        {buckets.flatMap(([bucket, label, least, most]) => {
          const amount = points.find((point) => point.bucket === bucket)?.amount
          if (amount === undefined) return []
          const isLate = bucket !== 'current'
          return [
            <li key={bucket}>
              <Link
                to="/o/$org/documents"
                params={{ org: organization.id }}
                search={{ ...search, ...dueWithin(today, least, most) }}
                className="-mx-2 grid min-h-6 grid-cols-[1fr_auto] gap-x-3 gap-y-1 rounded-md px-2 py-1 hover:bg-hover"
              >
                <span className={isLate ? 'text-red' : 'text-muted'}>{label}</span>
                <Money amount={amount} currency={currency} />
                <span aria-hidden="true" className="col-span-2 h-1.5 rounded-sm bg-hover">
                  <span
                    className={`bar block h-full rounded-sm ${isLate ? 'bg-red-fill' : 'bg-accent-fill'}`}
                    style={{ width: `${Math.max((amount / total) * 100, 1)}%` }}
                  />
                </span>
              </Link>
            </li>,
          ]
        })}
      </ul>
    </section>
  )
}
