/**
 * Money in and out per week, per currency: of the last twelve weeks, and hatched what is due or
 * scheduled in the next eight.
 */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useCallback } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, Statistics } from '../api/types.ts'
import { dateText } from '../design/dates.ts'
import { DateText, Money } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { moneyText, sumOf } from '../design/money.ts'
import { type CashAmount, type CashWeek, cashCurrencies, cashWeeksOf } from './cash-weeks.ts'
import { Chart, ChartTable } from './chart.tsx'

const title = 'Cash flow'
const path = '/v1/statistics'

const CashFlow = () => {
  const { scopes } = useSession()
  const isReadable = scopes.includes('payments:read')
  const isProjected = isReadable && scopes.includes('treasury:read')
  const past = useRead<Statistics>(path, { metric: 'cash_flow' }, { isEnabled: isReadable })
  const ahead = useRead<Statistics>(path, { metric: 'projection' }, { isEnabled: isProjected })
  if (!isReadable) return null
  const isKnown = !isProjected || ahead.data !== undefined || ahead.error !== null
  const read = isKnown ? past : { ...past, data: undefined }
  return (
    <Panel
      title={title}
      aside={
        <span className="text-sm text-muted">
          {isProjected ? '12 weeks, and the next 8' : '12 weeks'}
        </span>
      }
    >
      <Region read={read} skeleton="m-4 h-40">
        {(statistics) => {
          const currencies = cashCurrencies(statistics, ahead.data)
          return currencies.length === 0 ? (
            <p className="px-4 py-3 text-muted">
              No payment has settled in the last twelve weeks{isProjected && ', and none is due'}.
            </p>
          ) : (
            currencies.map((currency) => (
              <OfCurrency
                key={currency}
                currency={currency}
                past={statistics}
                weeks={cashWeeksOf(currency, statistics, ahead.data)}
              />
            ))
          )
        }}
      </Region>
    </Panel>
  )
}

export default CashFlow

interface OfCurrencyProps {
  currency: Currency
  past: Statistics
  weeks: readonly CashWeek[]
}

const OfCurrency = ({ currency, past, weeks }: OfCurrencyProps) => {
  const text = (amount: number) => moneyText(amount, currency)
  const total = (of: CashAmount) => sumOf(weeks.map((week) => week[of]))
  const [nextIn, nextOut] = [total('nextIn'), total('nextOut')]
  const settled = `${text(total('in'))} came in and ${text(total('out'))} went out since ${dateText(past.from)}`
  const expected = `${text(nextIn)} is expected in and ${text(nextOut)} out by ${dateText(weeks.at(-1)!.end)}`
  const isAhead = weeks.some((one) => one.isAhead)
  return (
    <Chart
      title={`${title}, ${currency}`}
      sentence={isAhead ? `${settled}; ${expected}.` : `${settled}.`}
      table={
        <ChartTable
          caption={`${currency} by week`}
          titles={['Week of', 'In', 'Out', ...(isAhead ? ['Due in', 'Due out'] : [])]}
          rows={weeks.map((week) => [
            <DateText key="date" date={week.start} />,
            ...(['in', 'out', ...(isAhead ? (['nextIn', 'nextOut'] as const) : [])] as const).map(
              (of) => (week[of] === 0 ? '–' : <Money amount={week[of]} currency={currency} />),
            ),
          ])}
        />
      }
    >
      <div>
        <Totals currency={currency} past={past} weeks={weeks} />
        <Bars currency={currency} past={past} weeks={weeks} />
        <p className="mt-1 flex justify-between text-xs text-muted">
          <DateText date={weeks[0]!.start} />
          {isAhead && <span>hatched: due or scheduled</span>}
          <DateText date={weeks.at(-1)!.start} />
        </p>
      </div>
    </Chart>
  )
}

const Totals = ({ currency, past, weeks }: OfCurrencyProps) => {
  const { organization } = useSession()
  const flows = [
    ['incoming', 'In', 'in', 'nextIn', 'text-green'],
    ['outgoing', 'Out', 'out', 'nextOut', ''],
  ] as const
  return (
    <p className="flex flex-wrap gap-x-6 text-sm">
      {flows.map(([direction, term, of, next, colour]) => {
        const expected = sumOf(weeks.map((week) => week[next]))
        return (
          <span key={direction}>
            <Link
              to="/o/$org/payments"
              params={{ org: organization.id }}
              search={{
                status: 'settled',
                currency,
                direction,
                settled_from: past.from,
                settled_to: past.to,
              }}
              className="group inline-block min-h-6"
            >
              <span className="text-muted">{term} </span>
              <strong className={`tabular group-hover:text-accent ${colour}`}>
                <Money amount={sumOf(weeks.map((week) => week[of]))} currency={currency} />
              </strong>
            </Link>
            {expected > 0 && (
              <span className="text-muted">
                {' '}
                · next <Money amount={expected} currency={currency} />
              </span>
            )}
          </span>
        )
      })}
    </p>
  )
}

const Bars = ({ currency, past, weeks }: OfCurrencyProps) => {
  const most = Math.max(
    ...weeks.flatMap((week) => [week.in + week.nextIn, week.out + week.nextOut]),
    1,
  )
  // Where there is no room for all of it, the last weeks are looked at first.
  const showEnd = useCallback((list: HTMLOListElement | null) => {
    if (list !== null) list.scrollLeft = list.scrollWidth
  }, [])
  return (
    <ol ref={showEnd} className="mt-3 flex h-24 overflow-x-auto border-b border-edge">
      {weeks.map((week) => (
        <li key={week.start} className="h-full min-w-6 flex-1">
          <WeekLink currency={currency} past={past} week={week}>
            <Bar settled={week.in / most} expected={week.nextIn / most} colour="text-green" />
            <Bar settled={week.out / most} expected={week.nextOut / most} colour="text-faint" />
          </WeekLink>
        </li>
      ))}
    </ol>
  )
}

interface WeekLinkProps {
  currency: Currency
  past: Statistics
  week: CashWeek
  children: ReactNode
}

/** What has settled opens its payments, and what is ahead the treasury, which has each part of it. */
const WeekLink = ({ currency, past, week, children }: WeekLinkProps) => {
  const org = useSession().organization.id
  const text = (amount: number) => moneyText(amount, currency)
  const expected = `${text(week.nextIn)} still due in, ${text(week.nextOut)} still due out`
  const className =
    'flex h-full items-end gap-px px-0.5 hover:bg-hover focus-visible:-outline-offset-2'
  if (week.isAhead)
    return (
      <Link
        to="/o/$org/treasury"
        params={{ org }}
        search={{}}
        aria-label={`Next, the week of ${dateText(week.start)}: ${expected}`}
        className={className}
      >
        {children}
      </Link>
    )
  const settled = `${text(week.in)} in, ${text(week.out)} out`
  return (
    <Link
      to="/o/$org/payments"
      params={{ org }}
      // The first week may have begun before the range.
      search={{
        status: 'settled',
        currency,
        settled_from: week.start < past.from ? past.from : week.start,
        settled_to: week.end,
      }}
      aria-label={`Week of ${dateText(week.start)}: ${settled}${week.nextIn + week.nextOut > 0 ? `, ${expected}` : ''}`}
      className={className}
    >
      {children}
    </Link>
  )
}

/** Shares of the height: what is expected stands on what has settled. */
const Bar = (props: { settled: number; expected: number; colour: 'text-green' | 'text-faint' }) => {
  const plain = props.colour === 'text-faint' ? 'bar-plain' : ''
  const height = (share: number) => ({ height: `${share * 100}%` })
  return (
    <span className={`flex h-full flex-1 flex-col justify-end ${props.colour}`}>
      <span className={`hatched rounded-t-sm ${plain}`} style={height(props.expected)} />
      <span
        className={`bar ${plain} bg-current ${props.expected > 0 ? '' : 'rounded-t-sm'}`}
        style={height(props.settled)}
      />
    </span>
  )
}
