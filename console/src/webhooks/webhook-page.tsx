/** One endpoint: its deliveries, each attempt, and what mends it. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../api/reads.ts'
import type { Delivery, PingResult, Webhook, WebhookWithSecret } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Ago, Time, wordsOf } from '../design/format.tsx'
import { Choice, List } from '../design/list-page.tsx'
import { Fact, Page, Panel, Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { SecretDialog } from '../keys/secret-dialog.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

const route = getRouteApi('/o/$org/webhooks/$webhook')

const WebhookPage = () => {
  const { org, webhook: id } = route.useParams()
  const path = `/v1/webhooks/${id}`
  const read = useRead<Webhook>(path)
  const [status, setStatus] = useState<string | undefined>()
  const [shown, setShown] = useState<string | null>(null)
  return (
    <Page
      title={read.data?.url ?? 'Endpoint'}
      aside={read.data && <StatusMark status={read.data.status} />}
      lead={read.data?.disabled_reason}
      back={
        <Link to="/o/$org/webhooks" params={{ org }} className="hover:text-ink">
          Webhooks
        </Link>
      }
      actions={read.data && <Actions webhook={read.data} />}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_320px]">
        <Panel
          title="Deliveries"
          aside={
            <Choice
              label="State"
              value={status}
              options={['pending', 'retrying', 'succeeded', 'failed', 'skipped'].map(
                (name) => [name, wordsOf(name)] as const,
              )}
              onChoose={setStatus}
            />
          }
        >
          <List<Delivery>
            caption="Deliveries, newest first"
            path={`${path}/deliveries`}
            query={{ status }}
            columns={columnsOf(setShown)}
            rowKey={(delivery) => delivery.id}
            onOpen={(delivery) => setShown(delivery.id)}
            empty={{
              title: 'No deliveries',
              text: 'Send a ping, or change a document: its event is delivered here.',
            }}
          />
        </Panel>
        <Panel title="Endpoint">
          <Region read={read}>{(webhook) => <Facts webhook={webhook} />}</Region>
        </Panel>
      </div>
      {shown && (
        <DeliveryDialog path={`${path}/deliveries/${shown}`} onClose={() => setShown(null)} />
      )}
    </Page>
  )
}

export default WebhookPage

const columnsOf = (show: (id: string) => void): Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ id, event_type }) => (
      <button type="button" className="text-left font-medium" onClick={() => show(id)}>
        {event_type}
      </button>
    ),
  },
  { title: 'State', cell: ({ status }) => <StatusMark status={status} /> },
  { title: 'Attempts', isWide: true, align: 'right', cell: ({ attempt_count }) => attempt_count },
  {
    title: 'Answer',
    isWide: true,
    className: 'max-w-[180px] truncate text-muted',
    cell: ({ last_response_status, last_error }) => last_error ?? last_response_status ?? '–',
  },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

const Facts = ({ webhook }: { webhook: Webhook }) => (
  <dl className="px-4 py-2">
    <Fact term="Events">{webhook.events.length === 0 ? 'All' : webhook.events.join(', ')}</Fact>
    <Fact term="Failures in a row">{webhook.consecutive_failures} of 20</Fact>
    <Fact term="Last success">
      <Ago at={webhook.last_success_at} />
    </Fact>
    <Fact term="Last failure">
      <Ago at={webhook.last_failure_at} />
    </Fact>
    {webhook.previous_secret_valid_until && (
      <Fact term="Old secret signs until">
        <Time at={webhook.previous_secret_valid_until} />
      </Fact>
    )}
  </dl>
)

const Actions = ({ webhook }: { webhook: Webhook }) => {
  const { org } = route.useParams()
  const navigate = useNavigate()
  const path = `/v1/webhooks/${webhook.id}`
  const [secret, setSecret] = useState<string | null>(null)
  const ping = useWrite<PingResult>(({ body }) =>
    notify(
      body.response_status === null
        ? `The ping failed: ${body.error}`
        : `The endpoint answered ${body.response_status} in ${Math.round(body.duration_ms ?? 0)} ms`,
      { isBad: body.error !== null },
    ),
  )
  const rotate = useWrite<WebhookWithSecret>(({ body }) => setSecret(body.secret))
  const edit = useWrite<Webhook>(({ body }) =>
    notify(`The endpoint is ${body.status.toLowerCase()}`),
  )
  const remove = useWrite(() => void navigate({ to: '/o/$org/webhooks', params: { org } }))
  const next = webhook.status === 'ACTIVE' ? 'DISABLED' : 'ACTIVE'
  const error = ping.error ?? rotate.error ?? edit.error ?? remove.error
  return (
    <>
      <Button onClick={() => ping.mutate({ path: `${path}/ping` })}>
        {ping.isPending ? 'Pinging…' : 'Ping'}
      </Button>
      <Button onClick={() => rotate.mutate({ path: `${path}/rotate_secret` })}>
        Rotate secret
      </Button>
      <Button
        kind={next === 'ACTIVE' ? 'primary' : 'plain'}
        onClick={() => edit.mutate({ method: 'PATCH', path, body: { status: next } })}
      >
        {next === 'ACTIVE' ? 'Enable' : 'Disable'}
      </Button>
      <Button kind="danger" onClick={() => remove.mutate({ method: 'DELETE', path })}>
        Delete
      </Button>
      {error && (
        <div className="w-full">
          <Refusal error={error} />
        </div>
      )}
      {secret && (
        <SecretDialog title="Signing secret" secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  )
}
