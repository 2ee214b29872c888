/** Money in and out per week, per currency, of the last twelve weeks. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { DateText, Money } from '../design/format.tsx'
import { moneyText } from '../design/money.ts'
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
            <div className="grid gap-6 p-4">
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

const weekMs = 7 * 86_400_000

const weeksOf = ({ from, to }: Statistics): string[] => {
  const first = new Date(from)
  first.setUTCDate(first.getUTCDate() - ((first.getUTCDay() + 6) % 7))
  const weeks: string[] = []
  for (let at = first.getTime(); at <= Date.parse(to); at += weekMs)
    weeks.push(new Date(at).toISOString().slice(0, 10))
  return weeks
}

const Weeks = ({ currency, statistics }: { currency: Currency; statistics: Statistics }) => {
  const { organization } = useSession()
  const weeks = weeksOf(statistics)
  const amountOf = (group: string, week?: string): number =>
    statistics.points
      .filter((point) => point.currency === currency && point.group === group)
      .filter(({ start }) => week === undefined || start === week)
      .reduce((sum, { amount }) => sum + amount, 0)
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
            search={{ direction, status: 'settled' }}
            className="group min-h-6"
          >
            <span className="text-muted">{term} </span>
            <strong className={`tabular group-hover:text-accent ${colour}`}>
              <Money amount={amount} currency={currency} />
            </strong>
          </Link>
        ))}
      </p>
      <div
        role="img"
        aria-label={`${moneyText(total, currency)} came in and ${moneyText(spent, currency)} went out since ${statistics.from}.`}
        className="mt-3 flex h-24 items-end gap-1 border-b border-edge"
      >
        {weeks.map((week) => (
          <span key={week} className="flex h-full flex-1 items-end gap-px">
            <span className="bar flex-1 rounded-t-sm bg-green" style={share('in', week)} />
            <span
              className="bar bar-plain flex-1 rounded-t-sm bg-faint"
              style={share('out', week)}
            />
          </span>
        ))}
      </div>
      <p className="mt-1 flex justify-between text-xs text-muted">
        <DateText date={weeks[0]!} />
        <DateText date={weeks.at(-1)!} />
      </p>
    </div>
  )
}
