/** The feed of the organization, which webhooks deliver. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import type { Event } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { Choice, ListPage } from '../design/list-page.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import type { Column } from '../design/table.tsx'
import { EventSummary } from './event-summary.tsx'
import { eventTypes } from './event-types.ts'
import { lazyPart } from '../design/lazy-part.tsx'

const EventDialog = lazyPart(() => import('./event-dialog.tsx'))
const route = getRouteApi('/o/$org/events')

const EventsPage = () => {
  const { org } = route.useParams()
  const { event: shown, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const show = (event?: string) =>
    void navigate({ to: '/o/$org/events', params: { org }, search: { ...filters, event } })
  return (
    <ListPage<Event>
      title="Events"
      lead="Kept for 30 days. Webhooks deliver the same events, and GET /v1/events?after= follows them without a gap."
      filters={
        <>
          <Choice
            label="Type"
            value={filters.type}
            options={eventTypes.map((type) => [type, type] as const)}
            onChoose={(type) =>
              void navigate({ to: '/o/$org/events', params: { org }, search: { ...filters, type } })
            }
          />
          <SavedViews list="events" to="/o/$org/events" filters={filters} />
        </>
      }
      caption="Events, newest first"
      path="/v1/events"
      query={filters}
      columns={columnsOf(org, show)}
      rowKey={({ id }) => id}
      onOpen={({ id }) => show(id)}
      empty={{
        title: 'No events',
        text: 'Every change of a document or payment is an event here.',
      }}
    >
      {shown && <EventDialog id={shown} onClose={() => show()} />}
    </ListPage>
  )
}

export default EventsPage

const columnsOf = (org: string, show: (event: string) => void): Column<Event>[] => [
  {
    title: 'Type',
    cell: (event) => (
      <>
        <button type="button" className="font-medium" onClick={() => show(event.id)}>
          {event.type}
        </button>
        <span className="block text-sm text-muted roomy:hidden">
          <Time at={event.created_at} isExact />
        </span>
        <span className="block text-sm text-muted roomy:hidden">
          <EventSummary event={event} />
        </span>
      </>
    ),
  },
  {
    title: 'Document',
    cell: ({ data: { document } }) => (
      <Link
        to="/o/$org/documents/$document"
        params={{ org, document: document.id }}
        search={{}}
        className="text-accent"
      >
        {document.label} <span className="whitespace-nowrap">{document.number}</span>
      </Link>
    ),
  },
  { title: 'Summary', isWide: true, cell: (event) => <EventSummary event={event} /> },
  { title: 'Sequence', isWide: true, align: 'right', cell: ({ sequence }) => sequence },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} isExact />,
  },
]
