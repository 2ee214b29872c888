/** The deliveries of each webhook endpoint, and redelivery (contract 4, 7, 11). */
import type { Static } from 'typebox'
import type { Call } from '../../context.ts'
import { notFound, refuseProblems } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  Delivery,
  DeliveryFilters,
  DeliveryPage,
  DeliveryWithAttempts,
  Recover,
  Recovered,
} from '../../contract/shapes/webhooks.ts'
import { endpointDisabled, endpointForWrite } from '../../changes/webhooks/endpoints.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { integersIn, textsIn, timeOrNull } from '../../core/unsealed-values.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/webhooks/deliveries.ts'
import { deliveryBody } from '../../store/webhooks/due-deliveries.ts'
import { requestHeaders } from '../../webhook-delivery/attempt.ts'
import { operation } from '../operation.ts'
import { cursorsOf } from '../paging.ts'
import { uuidOrNotFound } from '../path-ids.ts'
import { lowerBoundOf, upperBoundOf } from '../time-bounds.ts'
import { endpointOf, webhookDefaults } from './webhooks.ts'

const toDelivery = (delivery: store.DeliveryRow): Delivery => ({
  id: encodeId('dlv', delivery.id),
  webhook_id: encodeId('whk', delivery.webhook_id),
  event_id: encodeId('evt', delivery.event_id),
  event_type: delivery.event_type as Delivery['event_type'],
  status: delivery.status as Delivery['status'],
  attempt_count: delivery.attempt_count,
  next_attempt_at: timeOrNull(delivery.due_at),
  last_response_status: delivery.last_response_status,
  last_error: delivery.last_error,
  created_at: delivery.created_at,
  finished_at: timeOrNull(delivery.finished_at),
})

type Attempt = Static<typeof DeliveryWithAttempts>['attempts'][number]

const steps = ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms'] as const

const toAttempt = (
  delivery: store.DeliveryRow,
  { response_headers: headers, timings, signatures, ...attempt }: store.ShownAttempt,
): Attempt => ({
  ...attempt,
  request_headers:
    signatures === null ? null : requestHeaders(delivery, { number: attempt.number, signatures }),
  response_headers: textsIn(headers),
  timings: integersIn(timings, steps),
})

const deliveryOf = async (
  db: Queryable,
  webhook: string,
  publicId: string,
): Promise<store.DeliveryRow> => {
  const id = decodeId('dlv', publicId)
  const delivery = id === undefined ? undefined : await store.deliveryById(db, webhook, id)
  if (delivery === undefined) throw notFound('delivery', publicId)
  return delivery
}

const parsePosition = (position: string): store.DeliveryPosition => {
  const [created_at = '', feed = '', id = ''] = position.split(' ')
  return { created_at, feed: BigInt(feed), id }
}

export const list = operation({
  ...webhookDefaults,
  id: 'deliveries.list',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  summary: 'List the deliveries of an endpoint, newest first',
  description:
    'Returns the deliveries of the last 30 days, including pings. Retrieve a single delivery to see its attempts.',
  query: DeliveryFilters,
  response: DeliveryPage,
  summaryFields: [
    'id',
    'event_id',
    'event_type',
    'status',
    'attempt_count',
    'last_response_status',
    'last_error',
  ],
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params, query }) => {
  const webhook = await endpointOf(call, params.id)
  const { cursor, limit, ...filters } = query
  const cursors = cursorsOf(call, `deliveries ${webhook.id}`, filters)
  const before = cursors.open(cursor)
  const page = await store.deliveriesOf(
    call.read,
    webhook.id,
    {
      statuses: filters.status,
      types: filters.type,
      since: filters.since && lowerBoundOf(filters.since),
      until: filters.until && upperBoundOf(filters.until),
    },
    {
      before: before === undefined ? undefined : parsePosition(before),
      limit: limit ?? limits.pageDefault,
    },
  )
  const { next } = page
  const next_cursor = cursors.seal(next && `${next.created_at} ${next.feed} ${next.id}`)
  return { body: { data: page.rows.map(toDelivery), next_cursor, has_more: next_cursor !== null } }
})

export const get = operation({
  ...webhookDefaults,
  id: 'deliveries.get',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}',
  summary: 'Retrieve a delivery with its attempts',
  response: DeliveryWithAttempts,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const webhook = await endpointOf(call, params.id)
  const delivery = await deliveryOf(call.read, webhook.id, params.delivery_id)
  const attempts = await store.attemptsOf(call.read, delivery.id)
  return {
    body: {
      ...toDelivery(delivery),
      body: await deliveryBody(call.read, delivery),
      attempts: attempts.map((attempt) => toAttempt(delivery, attempt)),
    },
  }
})

/** Locks the caller's endpoint; refuses one that is DISABLED. */
const activeEndpoint = async (tx: Queryable, call: Call, publicId: string) => {
  const id = uuidOrNotFound('whk', publicId)
  const endpoint = await endpointForWrite(tx, call.organization.id, id)
  if (endpoint.status === 'DISABLED') throw endpointDisabled()
  return endpoint
}

export const redeliver = operation({
  ...webhookDefaults,
  id: 'deliveries.redeliver',
  method: 'POST',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  summary: 'Redeliver an event',
  description:
    'Sets the delivery to pending again: it sends the same bytes with the same `Svc-Webhook-Id`, on a new retry schedule. Document texts that have been erased since are not sent again.',
  body: NoBody,
  response: Delivery,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(async (tx, call, { params }) => {
  const id = uuidOrNotFound('whk', params.id)
  const endpoint = await endpointForWrite(tx, call.organization.id, id)
  const delivery = await deliveryOf(tx, id, params.delivery_id)
  if (endpoint.status === 'DISABLED') throw endpointDisabled()
  await store.redeliver(tx, delivery)
  return {
    body: toDelivery(await deliveryOf(tx, id, params.delivery_id)),
    resourceId: params.delivery_id,
  }
})

const rangeProblems = ({ since, until }: Partial<Static<typeof Recover>>): Problem[] => {
  if (since === undefined || until === undefined) return []
  if (upperBoundOf(until) >= lowerBoundOf(since)) return []
  return [
    {
      param: '/until',
      code: 'out_of_range',
      message: 'The range ends before it begins.',
      fix: 'send an until that is not before since, or leave until out',
    },
  ]
}

export const recover = operation({
  ...webhookDefaults,
  id: 'deliveries.recover',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  summary: 'Redeliver a range of events',
  description:
    'Schedules every event of the range that was not successfully delivered to this endpoint: events that failed, were skipped, were not subscribed to at the time or are older than the endpoint. If `next_since` is not null, repeat the request from there.',
  body: Recover,
  response: Recovered,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(
  async (tx, call, { params, body }) => {
    refuseProblems(rangeProblems(body))
    const endpoint = await activeEndpoint(tx, call, params.id)
    const { scheduled, nextSince } = await store.recoverRange(tx, {
      webhook: endpoint.id,
      organization: call.organization.id,
      since: lowerBoundOf(body.since),
      until: body.until === undefined ? endpoint.now : upperBoundOf(body.until),
      types: body.types ?? endpoint.events,
    })
    return { body: { scheduled, next_since: nextSince }, resourceId: params.id }
  },
  { problems: rangeProblems },
)
