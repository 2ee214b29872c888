/** The newest events of the organization, as they happen. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Event, Page } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { Empty, Region } from '../design/layout.tsx'

const shownMost = 30

const LatestEvents = () => {
  const org = useSession().organization.id
  const read = useRead<Page<Event>>('/v1/events', { limit: shownMost })
  return (
    <Region read={read}>
      {({ data, has_more }) =>
        data.length === 0 ? (
          <Empty title="No events" isSmall>
            Every change of a document or payment is an event here.
          </Empty>
        ) : (
          <>
            <p className="mb-3 text-sm text-muted">
              {has_more ? `The newest ${shownMost}. ` : ''}
              <Link to="/o/$org/events" params={{ org }} className="text-accent underline">
                All events of the last 30 days
              </Link>
            </p>
            <ul className="divide-y divide-line">
              {data.map((event) => (
                <li key={event.id}>
                  <EventLine event={event} org={org} />
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Region>
  )
}

export default LatestEvents

const EventLine = ({ event, org }: { event: Event; org: string }) => {
  const { id, type, created_at, data } = event
  return (
    <Link
      to="/o/$org/events"
      params={{ org }}
      search={{ event: id }}
      className="grid min-h-8 grid-cols-[minmax(0,1fr)] content-center gap-x-4 py-1 hover:bg-hover @sm:grid-cols-[15rem_minmax(0,1fr)_auto]"
    >
      <code className="font-mono text-xs/5 break-all">{type}</code>
      <span>
        {data.document.label} <span className="whitespace-nowrap">{data.document.number}</span>
      </span>
      <span className="text-sm/5 text-muted">
        <Time at={created_at} isExact />
      </span>
    </Link>
  )
}
