/** Money in and out per week, per currency, of the last twelve weeks. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { DateText, Money, dateText } from '../design/format.tsx'
import { moneyText, sumOf } from '../design/money.ts'
import { daysLater, weeksOf } from './days.ts'
import { Panel, Region } from '../design/layout.tsx'

export const CashFlow = () => {
  const { scopes } = useSession()
  const isReadable = scopes.includes('payments:read')
  const read = useRead<Statistics>(
    '/v1/statistics',
    { metric: 'cash_flow' },
    { isEnabled: isReadable },
  )
  if (!isReadable) return null
  return (
    <Panel title="Cash flow" aside={<span className="text-sm text-muted">12 weeks</span>}>
      <Region read={read} skeleton="m-4 h-40">
        {(statistics) => {
          const currencies = [...new Set(statistics.points.map(({ currency }) => currency))]
          return currencies.length === 0 ? (
            <p className="px-4 py-3 text-muted">No payment has settled in the last twelve weeks.</p>
          ) : (
            <div className="grid grid-cols-[minmax(0,1fr)] gap-6 p-4">
              {currencies.map((currency) => (
                <Weeks key={currency} currency={currency} statistics={statistics} />
              ))}
            </div>
          )
        }}
      </Region>
    </Panel>
  )
}

const Weeks = ({ currency, statistics }: { currency: Currency; statistics: Statistics }) => {
  const { organization } = useSession()
  const weeks = weeksOf(statistics)
  const amountOf = (group: string, week?: string): number =>
    sumOf(
      statistics.points
        .filter((point) => point.currency === currency && point.group === group)
        .filter(({ start }) => week === undefined || start === week)
        .map(({ amount }) => amount),
    )
  // The first week may have begun before the range.
  const settledIn = (week: string) => ({
    ...{ status: 'settled', currency },
    settled_from: week < statistics.from ? statistics.from : week,
    settled_to: daysLater(week, 6),
  })
  const most = Math.max(
    ...weeks.flatMap((week) => [amountOf('in', week), amountOf('out', week)]),
    1,
  )
  const [total, spent] = [amountOf('in'), amountOf('out')]
  const flows = [
    ['incoming', 'In', total, 'text-green'],
    ['outgoing', 'Out', spent, ''],
  ] as const
  const share = (group: string, week: string) => ({
    height: `${(amountOf(group, week) / most) * 100}%`,
  })
  return (
    <div>
      <p className="flex flex-wrap gap-x-6 text-sm">
        {flows.map(([direction, term, amount, colour]) => (
          <Link
            key={direction}
            to="/o/$org/payments"
            params={{ org: organization.id }}
            search={{ ...settledIn(weeks[0]!), settled_to: statistics.to, direction }}
            className="group min-h-6"
          >
            <span className="text-muted">{term} </span>
            <strong className={`tabular group-hover:text-accent ${colour}`}>
              <Money amount={amount} currency={currency} />
            </strong>
          </Link>
        ))}
      </p>
      <ol
        aria-label={`${moneyText(total, currency)} came in and ${moneyText(spent, currency)} went out since ${dateText(statistics.from)}, by week`}
        className="mt-3 flex h-24 overflow-x-auto border-b border-edge"
      >
        {weeks.map((week) => (
          <li key={week} className="h-full min-w-6 flex-1">
            <Link
              to="/o/$org/payments"
              params={{ org: organization.id }}
              search={settledIn(week)}
              aria-label={`Week of ${dateText(week)}: ${moneyText(amountOf('in', week), currency)} in, ${moneyText(amountOf('out', week), currency)} out`}
              className="flex h-full items-end gap-px px-0.5 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="bar flex-1 rounded-t-sm bg-green" style={share('in', week)} />
              <span
                className="bar bar-plain flex-1 rounded-t-sm bg-faint"
                style={share('out', week)}
              />
            </Link>
          </li>
        ))}
      </ol>
      <p className="mt-1 flex justify-between text-xs text-muted">
        <DateText date={weeks[0]!} />
        <DateText date={weeks.at(-1)!} />
      </p>
    </div>
  )
}
