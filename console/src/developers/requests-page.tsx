/** Calls of the last 30 days, without bodies; a refused one says why. */
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { RequestLogEntry } from '../api/types.ts'
import { Time } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { toneOf } from './answer-status.ts'
import { CallerName } from './caller-name.tsx'
import { FilterFields } from './request-filters.tsx'
import { part } from '../design/part.tsx'

const CallCharts = part(() => import('./call-charts.tsx'), { height: 'h-56', place: 'mb-6' })
const RequestDialog = part(() => import('./request-dialog.tsx'))
const route = getRouteApi('/o/$org/requests')

const RequestsPage = () => {
  const { org } = route.useParams()
  const { request: shown, ...filters } = route.useSearch()
  const navigate = useNavigate()
  const show = (request?: string) =>
    void navigate({ to: '/o/$org/requests', params: { org }, search: { ...filters, request } })
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
      empty={{ title: 'No requests', text: 'Calls appear here a moment after they are answered.' }}
    >
      <CallCharts />
      {shown && <RequestDialog id={shown} onClose={() => show()} />}
    </ListPage>
  )
}

export default RequestsPage

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
        <span className="block text-sm text-muted md:hidden">
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
        {error_code && <code className="block font-mono text-xs text-muted">{error_code}</code>}
      </>
    ),
  },
  {
    title: 'By',
    isWide: true,
    className: 'max-lg:hidden max-w-[15rem] break-words',
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
