/** Calls of two weeks: how they were answered, how long it took, and why they were refused. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { serviceNow } from '../api/service-clock.ts'
import { useSession } from '../api/session.ts'
import type { Statistics } from '../api/types.ts'
import { dateText } from '../design/dates.ts'
import { Panel, Region } from '../design/layout.tsx'
import { daysLater } from '../home/days.ts'
import { statusClasses, statusWords } from './status-classes.ts'

type Count = Statistics['counts'][number]

const shownDays = 14

const CallCharts = () => {
  const today = new Date(serviceNow()).toISOString().slice(0, 10)
  const from = daysLater(today, 1 - shownDays)
  const query = { metric: 'requests', interval: 'day', from, to: today }
  const read = useRead<Statistics>('/v1/statistics', query)
  return (
    <Region read={read} skeleton="mb-6 h-56">
      {({ counts, is_complete }) =>
        counts.length === 0 ? null : (
          <div className="mb-6 grid grid-cols-[minmax(0,1fr)] gap-6 @lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Panel
              title="Calls by day"
              aside={
                <span className="text-sm text-muted">
                  {is_complete ? `${shownDays} days, UTC` : 'the latest 100,000, UTC'}
                </span>
              }
            >
              <Days counts={counts} from={from} />
            </Panel>
            <Panel
              title="Why calls were refused"
              aside={<span className="text-sm text-muted">{shownDays} days</span>}
            >
              <Refusals counts={counts} from={from} />
            </Panel>
          </div>
        )
      }
    </Region>
  )
}

export default CallCharts

interface CountsProps {
  counts: readonly Count[]
  from: string
}

interface Day {
  day: string
  all: number
  bad: number
  failed: number
  replayed: number
  p95: number | null
}

const daysOf = ({ counts, from }: CountsProps): Day[] =>
  Array.from({ length: shownDays }, (_, i) => {
    const day = daysLater(from, i)
    const of = (bucket: string | null) =>
      counts.find((one) => one.group === 'answered' && one.start === day && one.bucket === bucket)
    const replays = counts.find((one) => one.group === 'replayed' && one.start === day)
    return {
      day,
      all: of(null)?.count ?? 0,
      bad: of('4xx')?.count ?? 0,
      failed: of('5xx')?.count ?? 0,
      replayed: replays?.count ?? 0,
      p95: of(null)?.duration_ms?.p95 ?? null,
    }
  })

/** In percent; one decimal where there is little. */
const shareText = (count: number, all: number): string => {
  if (count === 0) return '0'
  const percent = (100 * count) / all
  return percent < 0.1 ? '< 0.1%' : `${percent.toFixed(percent < 10 ? 1 : 0)}%`
}

const callsText = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'call' : 'calls'}`

const dayText = ({ day, all, bad, failed, replayed, p95 }: Day): string =>
  `${dateText(day)}: ${callsText(all)}, ${bad} refused (4xx), ${failed} failed (5xx), ${replayed} replays${p95 === null ? '' : `, 95% within ${p95} ms`}`

const Days = (props: CountsProps) => {
  const { organization } = useSession()
  const days = daysOf(props)
  const most = Math.max(...days.map(({ all }) => all), 1)
  const slowest = Math.max(...days.map(({ p95 }) => p95 ?? 0))
  const sumOf = (field: 'all' | 'bad' | 'failed' | 'replayed') =>
    days.reduce((sum, day) => sum + day[field], 0)
  const totals = [
    ['All', sumOf('all'), undefined, ''],
    [statusWords['4xx'], sumOf('bad'), statusClasses['4xx'], 'text-amber'],
    [statusWords['5xx'], sumOf('failed'), statusClasses['5xx'], 'text-red'],
  ] as const
  const share = (count: number) => ({ height: `${(count / most) * 100}%` })
  const org = organization.id
  return (
    <div className="p-4">
      <p className="flex flex-wrap gap-x-6 text-sm">
        {totals.map(([term, count, status, colour]) => (
          <Link
            key={term}
            to="/o/$org/requests"
            params={{ org }}
            search={{ status, since: props.from }}
            className="group min-h-6"
          >
            <span className="text-muted">{term} </span>
            <strong className={`tabular group-hover:text-accent ${count > 0 ? colour : ''}`}>
              {count.toLocaleString('en')}
            </strong>
          </Link>
        ))}
        <Link
          to="/o/$org/requests"
          params={{ org }}
          search={{ replayed: 'true', since: props.from }}
          className="group min-h-6"
        >
          <span className="text-muted">Replays </span>
          <strong className="tabular group-hover:text-accent">
            {shareText(sumOf('replayed'), sumOf('all'))}
          </strong>
        </Link>
        <span>
          <span className="text-muted">Slowest day: 95% within </span>
          <strong className="tabular">{slowest.toLocaleString('en')} ms</strong>
        </span>
      </p>
      <ol
        aria-label={`${callsText(sumOf('all'))} since ${dateText(props.from)}, ${sumOf('bad')} refused and ${sumOf('failed')} failed, by day`}
        className="mt-3 flex h-28 overflow-x-auto border-b border-edge"
      >
        {days.map((one) => (
          <li key={one.day} className="h-full min-w-6 flex-1">
            <Link
              to="/o/$org/requests"
              params={{ org }}
              search={{ since: one.day, until: one.day }}
              aria-label={dayText(one)}
              title={dayText(one)}
              className="flex h-full flex-col justify-end px-0.5 hover:bg-hover focus-visible:-outline-offset-2"
            >
              <span className="bar bg-red-fill" style={share(one.failed)} />
              <span className="bar bg-amber-edge" style={share(one.bad)} />
              <span
                className="bar bar-plain bg-accent-fill"
                style={share(one.all - one.bad - one.failed)}
              />
            </Link>
          </li>
        ))}
      </ol>
      <p className="mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span>
          {dateText(days[0]!.day)} – {dateText(days.at(-1)!.day)}
        </span>
        <span>blue: succeeded (2xx, 3xx) · amber: refused (4xx) · red: failed (5xx)</span>
      </p>
      <AsTable days={days} />
    </div>
  )
}

const AsTable = ({ days }: { days: readonly Day[] }) => (
  <details className="mt-2 text-sm">
    <summary className="min-h-6 text-accent">Show as table</summary>
    <table className="mt-1 w-full">
      <caption className="sr-only">Calls of each day, newest first</caption>
      <thead>
        <tr className="border-b border-line text-muted">
          <th scope="col" className="py-1 text-left font-normal">
            Day
          </th>
          {['Calls', ...Object.values(statusWords), 'Replays', '95% within'].map((title) => (
            <th key={title} scope="col" className="py-1 pl-3 text-right font-normal">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, all, bad, failed, replayed, p95 }) => (
          <tr key={day} className="border-b border-line last:border-0">
            <th scope="row" className="py-1 text-left font-normal">
              {dateText(day)}
            </th>
            {[all, bad, failed, replayed].map((count, i) => (
              <td key={i} className="tabular py-1 pl-3 text-right">
                {count.toLocaleString('en')}
              </td>
            ))}
            <td className="tabular py-1 pl-3 text-right">{p95 === null ? '–' : `${p95} ms`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)

const Refusals = ({ counts, from }: CountsProps) => {
  const { organization } = useSession()
  const refused = counts.filter(({ group }) => group === 'refused')
  const most = Math.max(...refused.map(({ count }) => count), 1)
  if (refused.length === 0) return <p className="px-4 py-3 text-muted">No call was refused.</p>
  return (
    <ul className="p-4 text-sm">
      {refused.map(({ bucket: code, count }) => (
        <li key={code}>
          <Link
            to="/o/$org/requests"
            params={{ org: organization.id }}
            search={{ error_code: code ?? undefined, since: from }}
            className="-mx-2 grid min-h-6 grid-cols-[1fr_auto] gap-x-3 gap-y-1 rounded-md px-2 py-1 hover:bg-hover"
          >
            <code className="font-mono text-xs">{code}</code>
            <span className="tabular">{count.toLocaleString('en')}</span>
            <span aria-hidden="true" className="col-span-2 h-1.5 rounded-sm bg-hover">
              <span
                className="bar block h-full rounded-sm bg-amber-edge"
                style={{ width: `${(count / most) * 100}%` }}
              />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
