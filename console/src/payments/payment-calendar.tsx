/** A month of payments: what is scheduled and what falls due, by day. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Currency } from '../api/types.ts'
import { Announced } from '../design/announcements.tsx'
import { Button, IconButton, buttonClass } from '../design/button.tsx'
import { dateText, monthText } from '../design/dates.ts'
import { Choice } from '../design/list-page.tsx'
import { Page, Panel, Region } from '../design/layout.tsx'
import { moneyText } from '../design/money.ts'
import { lazyPart } from '../design/lazy-part.tsx'
import { type CalendarEntry, useCalendarEntries } from './calendar-entries.ts'
import { DayEntries } from './calendar-day.tsx'
import { type Month, monthAfter, monthOr, weeksOf } from './calendar.ts'
import { useMissing } from './missing.ts'
import { useToday } from './today.ts'

const MissingProcessor = lazyPart(() => import('./missing-processor.tsx'), {
  height: 'h-28',
  place: 'mb-6',
})
const route = getRouteApi('/o/$org/payments')

const PaymentCalendar = () => {
  const { org } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const read = useCalendarEntries()
  const isImpossible = useMissing()?.isProcessorMissing === true
  const today = useToday()
  const month = monthOr(search.month, today)
  const show = (more: typeof search) =>
    void navigate({ to: '/o/$org/payments', params: { org }, search: { ...search, ...more } })
  return (
    <Page
      title="Payments"
      lead="What is scheduled, and what falls due, by day. A balance counts on its due date until it is paid or scheduled."
      actions={
        <Link to="/o/$org/payments" params={{ org }} search={{}} className={buttonClass()}>
          List
        </Link>
      }
    >
      {isImpossible && <MissingProcessor className="mb-6" />}
      <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex items-center gap-1">
          <IconButton
            icon="back"
            label="Previous month"
            onClick={() => show({ month: monthAfter(month, -1) })}
          />
          <h2 className="min-w-36 text-center font-semibold">{monthText(month)}</h2>
          <IconButton
            icon="chevron"
            label="Next month"
            onClick={() => show({ month: monthAfter(month, 1) })}
          />
        </div>
        <Button onClick={() => show({ month: undefined })}>This month</Button>
        <Choice
          label="Direction"
          value={search.direction}
          options={[
            ['outgoing', 'Outgoing'],
            ['incoming', 'Incoming'],
          ]}
          onChoose={(direction) => show({ direction })}
        />
      </div>
      <Region read={read} skeleton="h-96">
        {({ entries, isCut }) => {
          const shown = entries.filter(
            ({ day, direction }) =>
              day.startsWith(month) && (search.direction ?? direction) === direction,
          )
          return (
            <>
              <Sums month={month} entries={shown} />
              <Panel className={`overflow-hidden ${shown.length === 0 ? '@max-lg:hidden' : ''}`}>
                <Grid org={org} month={month} today={today} entries={shown} />
                <Agenda org={org} entries={shown} />
              </Panel>
              {isCut && (
                <p className="mt-3 text-sm text-muted">
                  There are more open records than the newest 1,000, which are shown here.
                </p>
              )}
            </>
          )
        }}
      </Region>
    </Page>
  )
}

export default PaymentCalendar

const weekdayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' })
const longWeekdayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'long', timeZone: 'UTC' })

/** Announced when another month is shown. */
const Sums = ({ month, entries }: { month: Month; entries: readonly CalendarEntry[] }) => (
  <Announced className="mb-3 flex flex-wrap gap-x-6 gap-y-1">
    {entries.length === 0 && (
      <span className="text-muted">Nothing is scheduled or due in {monthText(month)}.</span>
    )}
    <Sum title="To pay" amounts={sumsOf(entries, 'outgoing')} />
    <Sum title="To receive" amounts={sumsOf(entries, 'incoming')} />
  </Announced>
)

const Sum = ({ title, amounts }: { title: string; amounts: readonly string[] }) =>
  amounts.length > 0 && (
    <span>
      <span className="text-muted">{title} </span>
      <strong className="tabular font-semibold">{amounts.join(' · ')}</strong>
    </span>
  )

/** By currency: amounts of different ones are never added. */
const sumsOf = (
  entries: readonly CalendarEntry[],
  wanted: CalendarEntry['direction'],
): readonly string[] => {
  const sums = new Map<Currency, number>()
  for (const { direction, currency, amount } of entries)
    if (direction === wanted) sums.set(currency, (sums.get(currency) ?? 0) + amount)
  return [...sums].map(([currency, amount]) => moneyText(amount, currency))
}

interface GridProps {
  org: string
  month: Month
  today: string
  entries: readonly CalendarEntry[]
}

const Grid = ({ org, month, today, entries }: GridProps) => {
  const weeks = weeksOf(month)
  return (
    <table className="w-full table-fixed border-collapse text-left @max-lg:hidden">
      <caption className="sr-only">Payments in {monthText(month)}</caption>
      <thead>
        <tr className="border-b border-line text-sm text-muted">
          {weeks[0]!.map((day) => (
            <th key={day} scope="col" className="px-2 py-2 font-normal">
              <abbr title={longWeekdayFormat.format(new Date(day))} className="no-underline">
                {weekdayFormat.format(new Date(day))}
              </abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((days) => (
          <tr key={days[0]} className="border-b border-line last:border-0">
            {days.map((day) => (
              <td
                key={day}
                className={`h-24 border-l border-line p-1 align-top first:border-l-0 ${day.startsWith(month) ? '' : 'bg-canvas'}`}
              >
                {day.startsWith(month) && (
                  <>
                    <DayNumber day={day} isToday={day === today} />
                    <DayEntries org={org} entries={entries.filter((entry) => entry.day === day)} />
                  </>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const DayNumber = ({ day, isToday }: { day: string; isToday: boolean }) => (
  <time
    dateTime={day}
    aria-current={isToday ? 'date' : undefined}
    className={`inline-grid size-6 place-items-center rounded-md text-sm tabular ${isToday ? 'bg-accent-fill font-semibold text-white' : 'text-muted'}`}
  >
    {Number(day.slice(8))}
  </time>
)

/** On a narrow screen: the days on which something happens. */
const Agenda = ({ org, entries }: Pick<GridProps, 'org' | 'entries'>) => {
  const days = [...new Set(entries.map(({ day }) => day))].toSorted()
  return (
    <ol className="@lg:hidden">
      {days.map((day) => (
        <li key={day} className="border-b border-line px-4 py-3 last:border-0">
          <h3 className="mb-1 text-sm text-muted">
            {longWeekdayFormat.format(new Date(day))}, {dateText(day)}
          </h3>
          <DayEntries org={org} entries={entries.filter((entry) => entry.day === day)} isLarge />
        </li>
      ))}
    </ol>
  )
}
