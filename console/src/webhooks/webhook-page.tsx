/** One endpoint: its deliveries, each attempt, and what mends it. */
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isMissing, useRead } from '../api/reads.ts'
import type { Delivery, WebhookWithLastDay } from '../api/types.ts'
import { Button } from '../design/button.tsx'
import { timeText } from '../design/dates.ts'
import { Ago, Time, wordsOf } from '../design/format.tsx'
import { Choice, List } from '../design/list-page.tsx'
import { Fact, Page, Panel, Refusal, Region } from '../design/layout.tsx'
import { SelectionBar } from '../design/selection-bar.tsx'
import { StatusMark } from '../design/status.tsx'
import type { Column } from '../design/table.tsx'
import { failuresMax } from './failure-limits.ts'
import { FailuresBanner } from './failures-banner.tsx'
import { LastDay } from './last-day.tsx'
import { NextAttempt } from './next-attempt.tsx'
import { SignaturePanel } from './signature-panel.tsx'
import { WaitingRetries } from './waiting-retries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { lazyPart } from '../design/lazy-part.tsx'

const DeliveryDialog = lazyPart(() => import('./delivery-dialog.tsx'))
const RedeliverDialog = lazyPart(() => import('./redeliver-dialog.tsx'))

/** Deliveries go on without a change of a document, so the stream says nothing of them. */
const followEveryMs = 3_000

const MissingRecord = lazyPart(() => import('../design/missing-record.tsx'), { height: 'h-32' })
const route = getRouteApi('/o/$org/webhooks/$webhook')

const WebhookPage = () => {
  const { org, webhook: id } = route.useParams()
  const path = `/v1/webhooks/${id}`
  const read = useRead<WebhookWithLastDay>(path, {}, { refetchEveryMs: followEveryMs })
  const [status, setStatus] = useState<string | undefined>()
  const { delivery: shown } = route.useSearch()
  const navigate = useNavigate()
  const show = (delivery?: string) =>
    void navigate({
      to: '/o/$org/webhooks/$webhook',
      params: { org, webhook: id },
      search: { delivery },
    })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isSending, setIsSending] = useState(false)
  const choose = (state: string | undefined) => {
    setStatus(state)
    setSelected(new Set())
  }
  const back = (
    <Link to="/o/$org/webhooks" params={{ org }} className="hover:text-ink">
      Webhooks
    </Link>
  )
  // Its deliveries would be refused for the same reason.
  if (read.error && read.data === undefined)
    return (
      <Page title="Endpoint" back={back}>
        {isMissing(read.error) ? (
          <MissingRecord error={read.error} />
        ) : (
          <Refusal error={read.error} onRetry={() => void read.refetch()} />
        )}
      </Page>
    )
  return (
    <Page
      title={read.data?.url ?? 'Endpoint'}
      aside={
        read.data && (
          <>
            <StatusMark status={read.data.status} />
            <WaitingRetries webhook={id} />
          </>
        )
      }
      lead={read.data?.disabled_reason}
      back={back}
      actions={read.data && <WebhookActions webhook={read.data} />}
    >
      {read.data && <FailuresBanner webhook={read.data} />}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 @lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Panel
          title="Deliveries"
          aside={
            <Choice
              label="State"
              value={status}
              options={['pending', 'retrying', 'succeeded', 'failed', 'skipped'].map(
                (name) => [name, wordsOf(name)] as const,
              )}
              onChoose={choose}
            />
          }
        >
          <List<Delivery>
            caption="Deliveries, newest first"
            isBeside
            path={`${path}/deliveries`}
            query={{ status }}
            refetchEveryMs={followEveryMs}
            columns={columnsOf(show)}
            rowKey={(delivery) => delivery.id}
            onOpen={(delivery) => show(delivery.id)}
            selection={{ selected, onSelect: setSelected, rowName }}
            empty={
              status === undefined
                ? {
                    title: 'No deliveries',
                    text: 'Send a ping, or change a document: its event is delivered here.',
                  }
                : { title: 'No deliveries in this state', text: 'Choose another state, or All.' }
            }
          />
        </Panel>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
          <Panel title="Endpoint">
            <Region read={read}>{(webhook) => <Facts webhook={webhook} />}</Region>
          </Panel>
          {read.data && <SignaturePanel webhook={read.data} />}
        </div>
      </div>
      {selected.size > 0 && (
        <SelectionBar
          label="Selected deliveries"
          count={selected.size}
          onClear={() => setSelected(new Set())}
        >
          <Button
            kind="primary"
            isWrite
            disabledReason={
              read.data?.status === 'DISABLED' ? 'Enable the endpoint first.' : undefined
            }
            onClick={() => setIsSending(true)}
          >
            Send again…
          </Button>
        </SelectionBar>
      )}
      {isSending && (
        <RedeliverDialog
          path={path}
          deliveries={[...selected]}
          onClose={() => {
            setIsSending(false)
            setSelected(new Set())
          }}
        />
      )}
      {shown && (
        <DeliveryDialog
          path={`${path}/deliveries/${shown}`}
          url={read.data?.url}
          onClose={() => show()}
        />
      )}
    </Page>
  )
}

export default WebhookPage

const rowName = ({ event_type, created_at }: Delivery): string =>
  `${event_type}, ${timeText(created_at, 'medium')}`

const columnsOf = (show: (id: string) => void): Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ id, event_type, created_at }) => (
      <>
        <button type="button" className="text-left font-medium" onClick={() => show(id)}>
          {event_type}
        </button>
        <span className="block text-sm text-muted roomy:hidden">
          <Time at={created_at} />
        </span>
      </>
    ),
  },
  {
    title: 'State',
    cell: (delivery) => (
      <>
        <StatusMark status={delivery.status} />
        <NextAttempt delivery={delivery} />
      </>
    ),
  },
  { title: 'Attempts', isWide: true, align: 'right', cell: ({ attempt_count }) => attempt_count },
  {
    title: 'Answer',
    isWide: true,
    className: 'pl-6 max-w-[11.25rem] truncate text-muted',
    cell: ({ last_response_status, last_error }) => last_error ?? last_response_status ?? '–',
  },
  {
    title: 'When',
    align: 'right',
    isWide: true,
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
]

const Facts = ({ webhook }: { webhook: WebhookWithLastDay }) => (
  <dl className="px-4 py-2">
    <Fact term="Events">{webhook.events.length === 0 ? 'All' : webhook.events.join(', ')}</Fact>
    <Fact term="Last 24 hours">
      <LastDay day={webhook.last_day} />
    </Fact>
    <Fact term="Failed for good, in a row">
      {webhook.consecutive_failures} of {failuresMax}
    </Fact>
    <Fact term="Last success">
      <Ago at={webhook.last_success_at} />
    </Fact>
    <Fact term="Last failure">
      <Ago at={webhook.last_failure_at} />
    </Fact>
  </dl>
)
