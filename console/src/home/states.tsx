/** Documents of the last twelve weeks by their state; each bar opens the list that it counts. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Statistics } from '../api/types.ts'
import { durationText, wordsOf } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'
import { Chart, ChartTable } from './chart.tsx'

/** As the statistics name them, and as the views of the list do. */
const groups = [
  ['issued', 'sent', 'Sent'],
  ['received', 'received', 'Received'],
] as const

const States = () => {
  const read = useRead<Statistics>('/v1/statistics', { metric: 'documents' })
  return (
    <Panel title="Documents by state" aside={<span className="text-sm text-muted">12 weeks</span>}>
      <Region read={read} skeleton="m-4 h-40">
        {({ points, from, to }) =>
          points.length === 0 ? (
            <p className="px-4 py-3 text-muted">No document is of the last twelve weeks.</p>
          ) : (
            <Chart
              title="Documents by state"
              sentence={groups
                .map(([group, , title]) => sentenceOf(title, points, group))
                .join(' ')}
              table={<StatesTable points={points} />}
            >
              <div className="grid gap-5">
                {groups.map(([group, view, title]) => (
                  <Group
                    key={group}
                    title={title}
                    search={{ view, since: from, until: to }}
                    counts={countsOf(points, group)}
                  />
                ))}
              </div>
            </Chart>
          )
        }
      </Region>
    </Panel>
  )
}

export default States

type Counts = readonly (readonly [status: string, count: number])[]

/** Of all weeks and currencies: documents can be counted together, amounts cannot. */
const countsOf = (points: Statistics['points'], of: string): Counts => {
  const counts = new Map<string, number>()
  for (const { group, bucket, count } of points)
    if (group === of) counts.set(bucket!, (counts.get(bucket!) ?? 0) + count)
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

const sentenceOf = (title: string, points: Statistics['points'], group: string): string => {
  const counts = countsOf(points, group)
  const texts = counts.map(([status, count]) => `${count} ${wordsOf(status)}`)
  return `${title}: ${texts.join(', ') || 'none'}.`
}

/** Also how long documents stay in a state, of those that have left it: only who looks asks for it. */
const StatesTable = ({ points }: { points: Statistics['points'] }) => {
  const { scopes } = useSession()
  const times = useRead<Statistics>(
    '/v1/statistics',
    { metric: 'time_in_status' },
    { isEnabled: scopes.includes('provenance:read'), refetchEveryMs: false },
  ).data?.counts
  return (
    <ChartTable
      caption="Half of what has left a state did so within this time"
      titles={['State', 'Documents', 'Half left within']}
      rows={groups.flatMap(([group, , title]) =>
        countsOf(points, group).map(([status, count]): [string, ...ReactNode[]] => {
          const time = times?.find((one) => one.group === group && one.bucket === status)
          const median = time?.duration_ms?.median
          return [
            `${title}: ${wordsOf(status)}`,
            count,
            median === undefined ? '–' : durationText(median),
          ]
        }),
      )}
    />
  )
}

interface GroupProps {
  title: string
  search: { view: string; since: string; until: string }
  counts: Counts
}

const Group = ({ title, search, counts }: GroupProps) => {
  const { organization } = useSession()
  if (counts.length === 0) return null
  const [[, most]] = counts as [readonly [string, number]]
  return (
    <section>
      <h3 className="text-sm text-muted">{title}</h3>
      <ul className="mt-1 text-sm">
        {counts.map(([status, count]) => (
          <li key={status}>
            <Link
              to="/o/$org/documents"
              params={{ org: organization.id }}
              search={{ ...search, status }}
              className="-mx-2 grid min-h-6 grid-cols-[1fr_auto] gap-x-3 gap-y-1 rounded-md px-2 py-1 hover:bg-hover"
            >
              <span>{wordsOf(status)}</span>
              <span className="tabular">{count}</span>
              <span aria-hidden="true" className="col-span-2 h-1.5 rounded-sm bg-hover">
                <span
                  className="bar block h-full rounded-sm bg-accent-fill"
                  style={{ width: `${(count / most) * 100}%` }}
                />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
