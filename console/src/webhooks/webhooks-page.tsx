/** Endpoints that receive events, and how each of them fares. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAdminRefusal } from '../api/permissions.ts'
import type { Webhook } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { Ago } from '../design/format.tsx'
import { ListPage } from '../design/list-page.tsx'
import { lazyPart } from '../design/lazy-part.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { failuresMax, warnedFailures } from './failure-limits.ts'
import { LastDayOf } from './last-day.tsx'
import { WaitingRetries } from './waiting-retries.tsx'

const NewEndpointDialog = lazyPart(() => import('./new-endpoint-dialog.tsx'))
const route = getRouteApi('/o/$org/webhooks')

const WebhooksPage = () => {
  const { org } = route.useParams()
  const navigate = useNavigate()
  const [created, setCreated] = useState<'new' | { secret: string } | null>(null)
  const refusal = useAdminRefusal()
  const create = (
    <Button kind="primary" icon="plus" disabledReason={refusal} onClick={() => setCreated('new')}>
      New endpoint
    </Button>
  )
  return (
    <ListPage<Webhook>
      title="Webhooks"
      lead="Each event is signed and sent within moments. A delivery that fails is tried again, later each time."
      actions={create}
      caption="Endpoints"
      path="/v1/webhooks"
      columns={columnsOf(org)}
      rowKey={({ id }) => id}
      onOpen={({ id: webhook }) =>
        void navigate({ to: '/o/$org/webhooks/$webhook', params: { org, webhook } })
      }
      empty={{
        title: 'No endpoints',
        text: 'Register a URL to receive every event, with the same data as the API.',
        actions: create,
      }}
    >
      {created && (
        <NewEndpointDialog
          created={created}
          onCreated={setCreated}
          onClose={() => setCreated(null)}
        />
      )}
    </ListPage>
  )
}

export default WebhooksPage

const columnsOf = (org: string): Column<Webhook>[] => [
  {
    title: 'Address',
    cell: ({ id, url, description }) => (
      <>
        <Link
          to="/o/$org/webhooks/$webhook"
          params={{ org, webhook: id }}
          className="font-medium break-all"
        >
          {url}
        </Link>
        {description && <span className="block text-sm text-muted">{description}</span>}
      </>
    ),
  },
  {
    title: 'State',
    cell: ({ id, status }) => (
      <>
        <StatusMark status={status} />
        <span className="block text-sm">
          <WaitingRetries webhook={id} />
        </span>
      </>
    ),
  },
  { title: 'Last 24 hours', isWide: true, cell: ({ id }) => <LastDayOf webhook={id} /> },
  {
    title: 'Failed for good, in a row',
    isWide: true,
    align: 'right',
    cell: ({ consecutive_failures: failures }) => (
      <span className={failures >= warnedFailures ? 'text-red' : ''}>
        {failures} of {failuresMax}
      </span>
    ),
  },
  {
    title: 'Last success',
    isWide: true,
    cell: ({ last_success_at }) => <Ago at={last_success_at} />,
  },
]
