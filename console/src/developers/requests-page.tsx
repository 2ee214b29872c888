/** Calls of the last 30 days, without bodies; a refused one says why. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import type { RequestLogEntry } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { toneOf } from './status-tone.ts'
import { CallerName } from './caller-name.tsx'
import { FilterFields } from './request-filters.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const CallCharts = lazyPart(() => import('./call-charts.tsx'), { height: 'h-56', place: 'mb-6' })
const RequestDialog = lazyPart(() => import('./request-dialog.tsx'))
const route = getRouteApi('/o/$org/requests')

const RequestsPage = () => {
  const { org } = route.useParams()
  const { request: shown, reads, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const show = (request?: string) =>
    void navigate({
      to: '/o/$org/requests',
      params: { org },
      search: { ...filters, reads, request },
    })
  // Whoever asks for some of them is shown all of those.
  const isWhole = reads === undefined && Object.values(filters).every((one) => one === undefined)
  return (
    <ListPage<RequestLogEntry>
      title="Requests"
      lead="Every call by your keys and sessions in the last 30 days. Bodies are never stored."
      filters={
        <>
          <FilterFields
            filters={filters}
            narrow={(more) =>
              void navigate({
                to: '/o/$org/requests',
                params: { org },
                // Of the address as it is by now: two filters may be chosen one after the other.
                search: (before) => ({ ...before, ...more }),
              })
            }
          />
          <SavedViews list="requests" to="/o/$org/requests" filters={filters} />
        </>
      }
      caption="Requests, newest first"
      path="/v1/requests"
      query={filters}
      columns={columnsOf(show)}
      rowKey={({ id }) => id}
      onOpen={({ id }) => show(id)}
      leftOut={isWhole ? { isLeftOut: isReadByPerson, note: readsLeftOut } : undefined}
      empty={{ title: 'No requests', text: 'Calls appear here a moment after they are answered.' }}
    >
      <CallCharts />
      {reads !== undefined && (
        <p className="mb-4 text-sm text-muted">
          What people only read is listed, too. <ReadsLink>Hide it</ReadsLink>
        </p>
      )}
      {shown && <RequestDialog id={shown} onClose={() => show()} />}
    </ListPage>
  )
}

export default RequestsPage

/** The console reads all the time: its calls would hide those of the programs. */
const isReadByPerson = ({ method, key_id, user_id }: RequestLogEntry): boolean =>
  method === 'GET' && key_id === null && user_id !== null

const readsLeftOut = (count: number) => (
  <p className="border-b border-line px-4 py-2 text-sm text-muted">
    {count === 1 ? '1 read by a person is' : `${count.toLocaleString('en')} reads by people are`}{' '}
    hidden, such as those of this console. <ReadsLink reads="shown">Show</ReadsLink>
  </p>
)

const ReadsLink = ({ reads, children }: { reads?: string; children: string }) => (
  <Link
    to="/o/$org/requests"
    params={{ org: route.useParams().org }}
    search={(before) => ({ ...before, reads })}
    // It goes away with what it shows or hides.
    onClick={() => document.querySelector<HTMLElement>('main h1')?.focus()}
    className="inline-block min-h-6 text-accent underline"
  >
    {children}
  </Link>
)

const columnsOf = (show: (id: string) => void): Column<RequestLogEntry>[] => [
  {
    title: 'Call',
    cell: ({ id, method, path, created_at }) => (
      <>
        <button
          type="button"
          className="text-left font-mono text-xs break-all"
          onClick={() => show(id)}
        >
          {method} {path}
        </button>
        <span className="block text-sm text-muted roomy:hidden">
          <Time at={created_at} isExact />
        </span>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, error_code, original_request_id }) => (
      <>
        <Status tone={toneOf(status)}>{String(status)}</Status>
        {original_request_id && <span className="block text-sm text-muted">replay</span>}
        {error_code && (
          <code className="block font-mono text-xs wrap-anywhere text-muted">{error_code}</code>
        )}
      </>
    ),
  },
  {
    title: 'By',
    isWide: true,
    className: '@max-[60rem]:hidden max-w-[15rem] break-words',
    cell: (entry) => (
      <>
        <CallerName {...entry} />
        <span className="block text-sm text-muted">{entry.address}</span>
      </>
    ),
  },
  {
    title: 'Took',
    align: 'right',
    isWide: true,
    cell: ({ duration_ms }) => `${Math.round(duration_ms).toLocaleString('en')} ms`,
  },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} isExact />,
  },
]
