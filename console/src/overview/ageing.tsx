/** What is owed, by how long it is overdue. Currencies are never added up. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { Money } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'

const buckets = [
  ['current', 'Not due yet'],
  ['1-30', '1–30 days late'],
  ['31-60', '31–60 days late'],
  ['61-90', '61–90 days late'],
  ['over_90', 'Over 90 days late'],
] as const

const groups = [
  ['receivable', 'Owed to you'],
  ['payable', 'You owe'],
] as const

export const Ageing = () => {
  const read = useRead<Statistics>('/v1/statistics', { metric: 'ageing' })
  return (
    <Panel title="What is owed">
      <Region read={read} skeleton="m-4 h-40">
        {({ points }) =>
          points.length === 0 ? (
            <p className="px-4 py-3 text-muted">Nothing is owed in either direction.</p>
          ) : (
            <div className="grid gap-5 p-4">
              {groups.flatMap(([group, title]) =>
                currenciesIn(points, group).map((currency) => (
                  <Owed
                    key={group + currency}
                    {...{ group, title }}
                    currency={currency}
                    points={points.filter(
                      (point) => point.group === group && point.currency === currency,
                    )}
                  />
                )),
              )}
            </div>
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

interface OwedProps {
  /** Also the name of the view that lists it. */
  group: string
  title: string
  currency: Currency
  points: readonly Point[]
}

const Owed = ({ group, title, currency, points }: OwedProps) => {
  const { organization } = useSession()
  const total = points.reduce((sum, { amount }) => sum + amount, 0)
  return (
    <section>
      <h3 className="text-sm text-muted">{title}</h3>
      <p className="tabular text-xl font-semibold tracking-tight">
        <Link
          to="/o/$org/documents"
          params={{ org: organization.id }}
          search={{ view: group }}
          className="hover:text-accent"
        >
          <Money amount={total} currency={currency} />
        </Link>
      </p>
      <dl className="mt-2 grid gap-2 text-sm">
        {buckets.flatMap(([bucket, label]) => {
          const amount = points.find((point) => point.bucket === bucket)?.amount
          if (amount === undefined) return []
          const isLate = bucket !== 'current'
          return [
            <div key={bucket} className="grid grid-cols-[1fr_auto] gap-x-3 gap-y-1">
              <dt className={isLate ? 'text-red' : 'text-muted'}>{label}</dt>
              <dd className="tabular">
                <Money amount={amount} currency={currency} />
              </dd>
              <dd aria-hidden="true" className="col-span-2 h-1.5 rounded-sm bg-hover">
                <div
                  className={`bar h-full rounded-sm ${isLate ? 'bg-red-fill' : 'bg-accent-fill'}`}
                  style={{ width: `${Math.max((amount / total) * 100, 1)}%` }}
                />
              </dd>
            </div>,
          ]
        })}
      </dl>
    </section>
  )
}
