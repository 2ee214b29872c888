/** What became of each event for each endpoint, and delivering it again (contract 4, 7, 11). */
import type { Call } from '../context.ts'
import { invalidRequest, notFound } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { NoBody } from '../contract/shapes/documents.ts'
import {
  Delivery,
  DeliveryFilters,
  DeliveryPage,
  DeliveryWithAttempts,
  Recover,
  Recovered,
} from '../contract/shapes/webhooks.ts'
import { endpointDisabled, endpointForWrite } from '../changes/webhooks/endpoints.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import type { Queryable } from '../database/sql.ts'
import {
  type DeliveryPosition,
  type DeliveryRow,
  attemptsOf,
  deliveriesOf,
  deliveryById,
  recoverRange,
  redeliver as scheduleAgain,
} from '../store/webhooks/deliveries.ts'
import { operation } from './operation.ts'
import { cursorsOf } from './paging.ts'
import { uuidOrNotFound } from './path-ids.ts'
import { lowerBoundOf, upperBoundOf } from './time-bounds.ts'
import { endpointOf } from './webhooks.ts'

const view = (delivery: DeliveryRow): Delivery => ({
  id: encodeId('dlv', delivery.id),
  webhook_id: encodeId('whk', delivery.webhook_id),
  event_id: encodeId('evt', delivery.event_id),
  event_type: delivery.event_type as Delivery['event_type'],
  status: delivery.status as Delivery['status'],
  attempt_count: delivery.attempt_count,
  next_attempt_at: delivery.due_at,
  last_response_status: delivery.last_response_status,
  last_error: delivery.last_error,
  created_at: delivery.created_at,
  finished_at: delivery.finished_at,
})

const deliveryOf = async (
  session: Queryable,
  webhook: string,
  text: string,
): Promise<DeliveryRow> => {
  const id = decodeId('dlv', text)
  const delivery = id === undefined ? undefined : await deliveryById(session, webhook, id)
  if (delivery === undefined) throw notFound('delivery', text)
  return delivery
}

const positionOf = (text: string): DeliveryPosition => {
  const [created_at = '', feed = '', id = ''] = text.split(' ')
  return { created_at, feed: BigInt(feed), id }
}

export const list = operation({
  id: 'deliveries.list',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  family: 'webhooks',
  summary: 'List the deliveries of an endpoint, newest first',
  description: 'The last 30 days, pings included. Read one of them for its attempts.',
  since: '1.15.0',
  allowed: 'admin',
  query: DeliveryFilters,
  response: DeliveryPage,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params, query }) => {
  const webhook = await endpointOf(call, params.id)
  const { cursor, limit, ...filters } = query
  const cursors = cursorsOf(call, `deliveries ${webhook.id}`, filters)
  const before = cursors.open(cursor)
  const page = await deliveriesOf(
    call.read,
    webhook.id,
    {
      ...(filters.status === undefined ? {} : { statuses: filters.status }),
      ...(filters.type === undefined ? {} : { types: filters.type }),
      ...(filters.since === undefined ? {} : { since: lowerBoundOf(filters.since) }),
      ...(filters.until === undefined ? {} : { until: upperBoundOf(filters.until) }),
    },
    {
      before: before === undefined ? undefined : positionOf(before),
      limit: limit ?? limits.pageDefault,
    },
  )
  const { next } = page
  const next_cursor = cursors.seal(next && `${next.created_at} ${next.feed} ${next.id}`)
  return { body: { data: page.rows.map(view), next_cursor, has_more: next_cursor !== null } }
})

export const get = operation({
  id: 'deliveries.get',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}',
  family: 'webhooks',
  summary: 'Read a delivery with its attempts',
  since: '1.15.0',
  allowed: 'admin',
  response: DeliveryWithAttempts,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const webhook = await endpointOf(call, params.id)
  const delivery = await deliveryOf(call.read, webhook.id, params.delivery_id)
  const attempts = await attemptsOf(call.read, delivery.id)
  return {
    body: { ...view(delivery), attempts },
  }
})

/** The caller's endpoint, locked, and refused while it is DISABLED. */
const activeEndpoint = async (tx: Queryable, call: Call, text: string) => {
  const endpoint = await endpointForWrite(tx, call.organization.id, uuidOrNotFound('whk', text))
  if (endpoint.status === 'DISABLED') throw endpointDisabled()
  return endpoint
}

export const redeliver = operation({
  id: 'deliveries.redeliver',
  method: 'POST',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  family: 'webhooks',
  summary: 'Deliver an event again',
  description:
    'The same delivery is pending again: the same bytes under the same `Svc-Webhook-Id`, with a schedule of its own. Where the texts of the document were erased since, they are not sent again.',
  since: '1.15.0',
  allowed: 'admin',
  body: NoBody,
  response: Delivery,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(async (tx, call, { params }) => {
  const id = uuidOrNotFound('whk', params.id)
  const endpoint = await endpointForWrite(tx, call.organization.id, id)
  const delivery = await deliveryOf(tx, id, params.delivery_id)
  if (endpoint.status === 'DISABLED') throw endpointDisabled()
  await scheduleAgain(tx, delivery)
  return {
    body: view(await deliveryOf(tx, id, params.delivery_id)),
    resourceId: params.delivery_id,
  }
})

export const recover = operation({
  id: 'deliveries.recover',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  family: 'webhooks',
  summary: 'Deliver a range of events again',
  description:
    'Schedules every event of the range that this endpoint was not successfully told of: failed, skipped, not subscribed to then, or older than the endpoint. When `next_since` is not null, ask again from there.',
  since: '1.15.0',
  allowed: 'admin',
  body: Recover,
  response: Recovered,
  errors: ['not_found', 'conflict', 'sandbox_isolation'],
}).transacts(async (tx, call, { params, body }) => {
  const since = lowerBoundOf(body.since)
  const until = body.until === undefined ? undefined : upperBoundOf(body.until)
  if (until !== undefined && until < since) {
    throw invalidRequest([
      {
        param: '/until',
        code: 'out_of_range',
        message: 'The range ends before it begins.',
        fix: 'send an until that is not before since, or leave it out',
      },
    ])
  }
  const endpoint = await activeEndpoint(tx, call, params.id)
  const { scheduled, nextSince } = await recoverRange(tx, {
    webhook: endpoint.id,
    organization: call.organization.id,
    since,
    until: until ?? endpoint.now,
    types: body.types ?? endpoint.events,
  })
  return { body: { scheduled, next_since: nextSince }, resourceId: params.id }
})
