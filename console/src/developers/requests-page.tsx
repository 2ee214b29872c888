/** Calls of the last 30 days, without bodies; a refused one says why. */
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Suspense, lazy, useState } from 'react'
import { curlOf } from '../api/curl.ts'
import { useRead } from '../api/reads.ts'
import type { RequestLogDetail, RequestLogEntry } from '../api/types.ts'
import Dialog from '../design/dialog.tsx'
import { Time } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { CopyText, Fact, Region } from '../design/layout.tsx'
import { SavedViews } from '../design/saved-views.tsx'
import { Status } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { toneOf } from './answer-status.ts'
import { FilterFields } from './request-filters.tsx'

const CallCharts = lazy(() => import('./call-charts.tsx'))
const route = getRouteApi('/o/$org/requests')

const RequestsPage = () => {
  const { org } = route.useParams()
  const filters = route.useSearch()
  const navigate = useNavigate()
  const [shown, setShown] = useState<string | null>(null)
  return (
    <ListPage<RequestLogEntry>
      title="Requests"
      lead="Every call of your keys and sessions in 30 days. Bodies are never kept."
      filters={
        <>
          <FilterFields
            filters={filters}
            narrow={(more) =>
              void navigate({
                to: '/o/$org/requests',
                params: { org },
                search: { ...filters, ...more },
              })
            }
          />
          <SavedViews list="requests" to="/o/$org/requests" filters={filters} />
        </>
      }
      caption="Requests, newest first"
      path="/v1/requests"
      query={filters}
      columns={columnsOf(setShown)}
      rowKey={({ id }) => id}
      onOpen={({ id }) => setShown(id)}
      empty={{ title: 'No requests', text: 'Calls appear here a moment after they are answered.' }}
    >
      <Suspense fallback={null}>
        <CallCharts />
      </Suspense>
      {shown && <RequestDialog id={shown} onClose={() => setShown(null)} />}
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
    cell: ({ status, error_code }) => (
      <>
        <Status tone={toneOf(status)}>{String(status)}</Status>
        {error_code && <code className="block font-mono text-xs text-muted">{error_code}</code>}
      </>
    ),
  },
  {
    title: 'Took',
    align: 'right',
    isWide: true,
    cell: ({ duration_ms }) => `${Math.round(duration_ms)} ms`,
  },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} isExact />,
  },
]

const RequestDialog = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const read = useRead<RequestLogDetail>(`/v1/requests/${id}`)
  return (
    <Dialog title="Request" onClose={onClose} size="large">
      <Region read={read}>
        {(request) => (
          <>
            <dl className="rounded-md border border-line px-4 py-2">
              <Fact term="Call">
                <code className="font-mono text-xs break-all">
                  {request.method} {request.path}
                </code>
              </Fact>
              <Fact term="Id">
                <CopyText text={request.id} label="the request id" />
              </Fact>
              <Fact term="Status">{request.status}</Fact>
              {request.key_id && <Fact term="Key">{request.key_id}</Fact>}
              {request.idempotency_key && (
                <Fact term="Idempotency-Key">{request.idempotency_key}</Fact>
              )}
              <Fact term="Again">
                <CopyText
                  text={curlOf({ method: request.method, url: request.path })}
                  label="the call as curl"
                />
              </Fact>
            </dl>
            {request.error && (
              <div className="mt-4">
                <p className="font-medium">
                  {request.error.code}: {request.error.message}
                </p>
                <ul className="mt-2 list-disc pl-5 text-muted">
                  {request.error.problems.map((problem) => (
                    <li key={problem.param + problem.code}>
                      <code className="font-mono text-xs">{problem.param}</code> {problem.message}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </Region>
    </Dialog>
  )
}
