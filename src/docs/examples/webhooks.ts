/** The webhook that notifies the café of its approved bill. */
import { version } from '../../contract/version.ts'
import { type Example, page } from './ids.ts'

const eventId = 'evt_01kbm9vhr2e79trxazazsb6xaw'

/** The event that a receiver gets for this document. */
export const exampleEvent = (document: object) => ({
  id: eventId,
  type: 'document.status_changed',
  api_version: version,
  created_at: '2026-11-21T14:40:10.930Z',
  sequence: 3,
  data: { document, previous_status: 'submitted' },
  request: null,
  sandbox: true,
})

const webhook = {
  id: 'whk_01kbm9x4n0f5t8r2c6v1y3q7zd',
  url: 'https://example.com/webhooks',
  events: ['document.status_changed'],
  description: 'Accounting',
  status: 'ACTIVE',
  disabled_reason: null,
  consecutive_failures: 0,
  last_success_at: '2026-11-21T14:40:11.204Z',
  last_failure_at: null,
  previous_secret_valid_until: null,
  created_at: '2026-11-21T09:30:00.000Z',
}

const newWebhook = { ...webhook, last_success_at: null }

const delivery = {
  id: 'dlv_01kbm9vhr2fpfry9syt4prm4y5',
  webhook_id: webhook.id,
  event_id: eventId,
  event_type: 'document.status_changed',
  status: 'succeeded',
  attempt_count: 1,
  next_attempt_at: null,
  last_response_status: 200,
  last_error: null,
  created_at: '2026-11-21T14:40:10.941Z',
  finished_at: '2026-11-21T14:40:11.204Z',
}

const requestHeaders = {
  'svc-signature': 't=1795272010,v1=5f2c…',
  'svc-webhook-id': eventId,
  'svc-webhook-timestamp': '1795272010',
  'svc-webhook-signature': 'v1=5f2c…',
  'svc-delivery-id': delivery.id,
  'svc-delivery-attempt': '1',
  'webhook-id': eventId,
  'webhook-timestamp': '1795272010',
  'webhook-signature': 'v1,Xyx4…',
  'content-type': 'application/json',
  'user-agent': `DocumentExchange/${version} (+webhooks)`,
}

const redelivered = { ...delivery, status: 'pending', next_attempt_at: '2026-11-21T16:00:00.000Z' }
const { url, events, description } = webhook

export const webhookExamples = (document: object): Readonly<Record<string, Example>> => ({
  stream: {
    response:
      'id: 4711\ndata: {"type":"document.status_changed","object":"document","id":"doc_01kbm9s346q3d25vt4f5v37e3s","updated_at":"2026-11-21T14:40:10.930Z"}\n\n',
  },
  'events.list': { query: `after=${eventId}&limit=100`, response: page(exampleEvent(document)) },
  'events.get': { response: exampleEvent(document) },
  'webhooks.list': { response: page(webhook) },
  'webhooks.get': {
    response: { ...webhook, last_day: { succeeded: 412, failed: 1, attempts: 419, p95_ms: 182 } },
  },
  'webhooks.create': {
    body: { url, events, description },
    response: { ...newWebhook, secret: 'whsec_…' },
  },
  'webhooks.update': { body: { status: 'ACTIVE' }, response: webhook },
  'webhooks.delete': { response: webhook },
  'webhooks.rotate_secret': {
    response: {
      ...webhook,
      previous_secret_valid_until: '2026-11-22T16:00:00.000Z',
      secret: 'whsec_…',
    },
  },
  'webhooks.ping': {
    response: { delivery_id: delivery.id, response_status: 200, duration_ms: 41, error: null },
  },
  'deliveries.list': { query: 'status=failed,skipped', response: page(delivery) },
  'deliveries.get': {
    response: {
      ...delivery,
      body: `{"id":"${eventId}","type":"document.status_changed",…}`,
      attempts: [
        {
          number: 1,
          at: '2026-11-21T14:40:10.949Z',
          response_status: 200,
          duration_ms: 38,
          error: null,
          response_body: 'ok',
          request_headers: requestHeaders,
          response_headers: null,
          timings: { dns_ms: 6, connect_ms: 9, tls_ms: 12, first_byte_ms: 10 },
        },
      ],
    },
  },
  'deliveries.redeliver': { response: { ...redelivered, finished_at: null } },
  'deliveries.recover': {
    body: { since: '2026-11-20T00:00:00Z' },
    response: { scheduled: 42, next_since: null },
  },
})
