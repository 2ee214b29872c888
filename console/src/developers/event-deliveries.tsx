/** What became of an event at each endpoint: its state, its attempts, and sending it again. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Delivery, Event, Page, Webhook } from '../api/types.ts'
import { useWrite } from '../api/writes.ts'
import { Button } from '../design/button.tsx'
import { Refusal, Region } from '../design/layout.tsx'
import { notify } from '../design/notices.tsx'
import { StatusMark } from '../design/status.tsx'

/** Deliveries go on without a change of a document, so the stream says nothing of them. */
const followEveryMs = 3_000

export const EventDeliveries = ({ event }: { event: Event }) => {
  const endpoints = useRead<Page<Webhook>>('/v1/webhooks', { limit: 100 })
  return (
    <section aria-label="Deliveries" className="mb-5">
      <h3 className="mb-2 font-semibold">Deliveries</h3>
      <Region read={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No endpoint is registered.</p>
          ) : (
            <ul className="divide-y divide-line rounded-md border border-line">
              {data.map((endpoint) => (
                <AtEndpoint key={endpoint.id} endpoint={endpoint} event={event} />
              ))}
            </ul>
          )
        }
      </Region>
    </section>
  )
}

interface AtEndpointProps {
  endpoint: Webhook
  event: Event
}

const AtEndpoint = ({ endpoint, event }: AtEndpointProps) => {
  const { organization } = useSession()
  const { delivery, error, isRead } = useDelivery(endpoint, event)
  const path = `/v1/webhooks/${endpoint.id}/deliveries/${delivery?.id}/redeliver`
  const write = useWrite<Delivery>(() => notify('It is sent again'))
  const refusal = error ?? write.error
  return (
    <li className="grid gap-y-2 px-3 py-2.5 sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-x-4">
      <div className="min-w-0">
        <p className="break-all">{endpoint.url}</p>
        <div className="mt-0.5 text-sm text-muted">
          {delivery ? (
            <Outcome delivery={delivery} />
          ) : (
            isRead && 'Not delivered: it is not subscribed to it, or was registered later.'
          )}
        </div>
      </div>
      {delivery && (
        <div className="flex items-center gap-3">
          <Link
            to="/o/$org/webhooks/$webhook"
            params={{ org: organization.id, webhook: endpoint.id }}
            search={{ delivery: delivery.id }}
            aria-label={`Inspect the delivery to ${endpoint.url}`}
            className="text-accent"
          >
            Inspect
          </Link>
          <Button
            isWrite
            aria-label={`Send again to ${endpoint.url}`}
            disabledReason={sendRefusal(endpoint, write.isPending)}
            onClick={() => write.mutate({ path })}
          >
            Send again
          </Button>
        </div>
      )}
      {refusal && (
        <div className="sm:col-span-2">
          <Refusal error={refusal} />
        </div>
      )}
    </li>
  )
}

const sendRefusal = ({ status }: Webhook, isPending: boolean): string | undefined => {
  if (status === 'DISABLED') return 'Enable the endpoint first.'
  return isPending ? 'Sending' : undefined
}

const Outcome = ({ delivery }: { delivery: Delivery }) => {
  const { status, attempt_count: attempts, last_error, last_response_status } = delivery
  const answer = last_error ?? (last_response_status && `answered ${last_response_status}`)
  return (
    <>
      <span className="text-ink">
        <StatusMark status={status} />
      </span>
      {` · ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
      {answer && ` · ${answer}`}
    </>
  )
}

/** A delivery has the time of its event, or of its recovery if the endpoint had missed the event. */
const useDelivery = ({ id }: Webhook, { id: event, type, created_at: since }: Event) => {
  const path = `/v1/webhooks/${id}/deliveries`
  const settings = { refetchEveryMs: followEveryMs }
  const atOnce = useRead<Page<Delivery>>(path, { type, since, until: since, limit: 100 }, settings)
  const found = atOnce.data?.data.find(({ event_id }) => event_id === event)
  const isEnabled = atOnce.data !== undefined && found === undefined
  const query = { type, since, limit: 100 }
  const later = useRead<Page<Delivery>>(path, query, { ...settings, isEnabled })
  return {
    delivery: found ?? later.data?.data.find(({ event_id }) => event_id === event),
    error: atOnce.error ?? later.error,
    isRead: later.data !== undefined,
  }
}
