/** What each balance becomes in the next eight weeks, if what is due is paid on its day. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { DateText, Money } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { sumOf } from '../design/money.ts'
import { type Week, totalOf, weeksWith } from './projected-weeks.ts'
import { ProjectionChart, type WeeksProps } from './projection-chart.tsx'

export const Projection = () => {
  const { scopes } = useSession()
  const isReadable = scopes.includes('documents:read')
  const query = { metric: 'projection' }
  const read = useRead<Statistics>('/v1/statistics', query, { isEnabled: isReadable })
  if (!isReadable) return null
  return (
    <Panel
      title="The next eight weeks"
      aside={<span className="text-sm text-muted">from due dates</span>}
      className="mb-6"
    >
      <Region read={read} skeleton="m-4 h-56">
        {(statistics) => {
          const moved = new Set(
            statistics.points
              .filter(({ group }) => group !== 'balance')
              .map(({ currency }) => currency),
          )
          return moved.size === 0 ? (
            <p className="px-4 py-3 text-muted">Nothing is due, and no payment is scheduled.</p>
          ) : (
            <div className="grid gap-8 p-4">
              {[...moved].toSorted().map((currency) => (
                <OfCurrency key={currency} currency={currency} statistics={statistics} />
              ))}
            </div>
          )
        }}
      </Region>
    </Panel>
  )
}

interface OfCurrencyProps {
  currency: Currency
  statistics: Statistics
}

const OfCurrency = ({ currency, statistics }: OfCurrencyProps) => {
  const points = statistics.points.filter((point) => point.currency === currency)
  const now = points.find(({ group, start }) => group === 'balance' && start === null)!.amount
  const weeks = weeksWith(statistics, points)
  const last = weeks.at(-1)!
  const firstBelow = weeks.find(({ balance }) => balance < 0)
  const undated = points.filter(({ bucket }) => bucket === 'undated')
  return (
    <section aria-labelledby={`projected-${currency}`}>
      <h3 id={`projected-${currency}`} className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-muted">{currency}</span>
        <span className="text-xl font-semibold tracking-tight">
          <Money amount={last.balance} currency={currency} />
        </span>
        <span className="text-sm font-normal text-muted">
          on <DateText date={last.to} />, now <Money amount={now} currency={currency} />
        </span>
      </h3>
      {firstBelow && (
        <p className="mt-1 text-sm text-red">
          It falls below zero in the week of <DateText date={firstBelow.start} />.
        </p>
      )}
      <div className="mt-3 grid items-start gap-x-8 gap-y-4 @lg:grid-cols-[minmax(0,2fr)_minmax(min-content,3fr)]">
        <ProjectionChart currency={currency} now={now} weeks={weeks} />
        <Numbers currency={currency} now={now} weeks={weeks} />
      </div>
      {undated.length > 0 && (
        <p className="mt-2 text-sm text-muted">
          Without a due date, and in no week:{' '}
          {undated.map(({ group, amount }, i) => (
            <span key={group}>
              {i > 0 && ', '}
              <Money amount={amount} currency={currency} /> {group === 'due_in' ? 'in' : 'out'}
            </span>
          ))}
          .
        </p>
      )}
    </section>
  )
}

/** On a narrow screen, a balance that has no room beside its week stands below it. */
const rowClass = 'flex-wrap border-b border-line @max-sm:flex'

const Numbers = ({ currency, now, weeks }: WeeksProps) => (
  <table className="w-full text-sm">
    <caption className="sr-only">
      {currency}: what is due in and out, and the balance at the end of each week
    </caption>
    <thead>
      <tr className={`${rowClass} text-left text-muted`}>
        <th scope="col" className="py-1 pr-2 font-normal">
          Week of
        </th>
        <th scope="col" className="px-2 py-1 text-right font-normal max-md:hidden">
          In
        </th>
        <th scope="col" className="px-2 py-1 text-right font-normal max-md:hidden">
          Out
        </th>
        <th scope="col" className="ml-auto py-1 pl-2 text-right font-normal">
          Balance
        </th>
      </tr>
    </thead>
    <tbody className="leading-6">
      <tr className={rowClass}>
        <th scope="row" className="py-1.5 pr-2 text-left font-normal">
          Now
        </th>
        <td className="max-md:hidden" />
        <td className="max-md:hidden" />
        <td className="ml-auto py-1.5 pl-2 text-right">
          <Money amount={now} currency={currency} />
        </td>
      </tr>
      {weeks.map((week, i) => (
        <tr key={week.start} className={`${rowClass} last:border-0`}>
          <th scope="row" className="py-1.5 pr-2 text-left font-normal">
            <DateText date={week.start} />
            {(['in', 'out'] as const).map(
              (way) =>
                totalOf(week, way) > 0 && (
                  <span key={way} className="block text-muted md:hidden">
                    {way} <Parts week={week} way={way} currency={currency} isFirst={i === 0} />
                  </span>
                ),
            )}
          </th>
          {(['in', 'out'] as const).map((way) => (
            <td key={way} className="px-2 py-1.5 text-right max-md:hidden">
              <Parts week={week} way={way} currency={currency} isFirst={i === 0} />
            </td>
          ))}
          <td className={`ml-auto py-1.5 pl-2 text-right ${week.balance < 0 ? 'text-red' : ''}`}>
            <Money amount={week.balance} currency={currency} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

interface PartsProps {
  week: Week
  way: 'in' | 'out'
  currency: Currency
  isFirst: boolean
}

/** What is due opens its documents, and what is scheduled the calendar of payments. */
const Parts = ({ week, way, currency, isFirst }: PartsProps) => {
  const { organization } = useSession()
  const amountOf = (group: string) =>
    sumOf(week.points.filter((point) => point.group === group).map(({ amount }) => amount))
  const [due, scheduled] = [amountOf(`due_${way}`), amountOf(`scheduled_${way}`)]
  const link = 'block leading-6 hover:text-accent max-md:mr-2 max-md:inline-block'
  const parts: ReactNode[] = []
  if (due > 0)
    parts.push(
      <Link
        key="due"
        to="/o/$org/documents"
        params={{ org: organization.id }}
        // What is late counts in the first week.
        search={{
          view: `due_${way}`,
          currency,
          due_to: week.to,
          ...(isFirst ? {} : { due_from: week.from }),
        }}
        className={link}
      >
        <Money amount={due} currency={currency} />
      </Link>,
    )
  if (scheduled > 0)
    parts.push(
      <Link
        key="scheduled"
        to="/o/$org/payments"
        params={{ org: organization.id }}
        search={{ view: 'calendar', month: week.to.slice(0, 7) }}
        className={`${link} text-muted`}
      >
        {due > 0 && 'plus '}
        <Money amount={scheduled} currency={currency} /> scheduled
      </Link>,
    )
  return parts.length === 0 ? <span className="text-faint">–</span> : parts
}
