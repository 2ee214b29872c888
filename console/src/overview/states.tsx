/**
 * Documents of the last twelve weeks by their state, and how long they stay in each; each bar opens
 * the list that it counts.
 */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Statistics } from '../api/types.ts'
import { durationText, wordsOf } from '../design/format.tsx'
import { Panel, Region } from '../design/layout.tsx'

/** As the statistics name them, and as the views of the list do. */
const groups = [
  ['issued', 'sent', 'Sent'],
  ['received', 'received', 'Received'],
] as const

export const States = () => {
  const { scopes } = useSession()
  const isTimed = scopes.includes('provenance:read')
  const times = useRead<Statistics>(
    '/v1/statistics',
    { metric: 'time_in_status' },
    { isEnabled: isTimed, refetchEveryMs: false },
  )
  const read = useRead<Statistics>('/v1/statistics', { metric: 'documents' })
  return (
    <Panel title="Documents by state" aside={<span className="text-sm text-muted">12 weeks</span>}>
      <Region read={read} skeleton="m-4 h-40">
        {({ points, from, to }) =>
          points.length === 0 ? (
            <p className="px-4 py-3 text-muted">No document is of the last twelve weeks.</p>
          ) : (
            <div className="grid gap-5 p-4">
              {groups.map(([group, view, title]) => (
                <Group
                  key={group}
                  title={title}
                  search={{ view, since: from, until: to }}
                  counts={countsOf(points.filter((point) => point.group === group))}
                  times={times.data?.counts.filter((one) => one.group === group) ?? []}
                />
              ))}
            </div>
          )
        }
      </Region>
    </Panel>
  )
}

type Counts = readonly (readonly [status: string, count: number])[]

/** Of all weeks and currencies: documents can be counted together, amounts cannot. */
const countsOf = (points: Statistics['points']): Counts => {
  const counts = new Map<string, number>()
  for (const { bucket, count } of points) counts.set(bucket!, (counts.get(bucket!) ?? 0) + count)
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

interface GroupProps {
  title: string
  search: { view: string; since: string; until: string }
  counts: Counts
  /** Of those that have left a state. */
  times: Statistics['counts']
}

const Group = ({ title, search, counts, times }: GroupProps) => {
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
              <span>
                {wordsOf(status)}
                <Median of={times.find(({ bucket }) => bucket === status)} />
              </span>
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

/** What half of those that have left the state needed for it, at most. */
const Median = ({ of: time }: { of: Statistics['counts'][number] | undefined }) =>
  time?.duration_ms == null ? null : (
    <span className="text-muted"> · half left within {durationText(time.duration_ms.median)}</span>
  )
