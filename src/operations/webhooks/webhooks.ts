/** Webhook endpoints: registration, secrets and pings; their deliveries are in deliveries.ts. */
import type { Call } from '../../context.ts'
import { invalidRequest } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  PingResult,
  Webhook,
  WebhookCreate,
  WebhookEdit,
  WebhookFilters,
  WebhookPage,
  WebhookWithLastDay,
  WebhookWithSecret,
} from '../../contract/shapes/webhooks.ts'
import {
  type Endpoint,
  editEndpoint,
  endpointForWrite,
  openSecrets,
  registerEndpointWithinQuota,
  removeEndpoint,
  rotateSecret,
} from '../../changes/webhooks/endpoints.ts'
import { quotasHeldBy } from '../../changes/quotas.ts'
import { encodeId } from '../../core/ids.ts'
import { timeOrNull } from '../../core/unsealed-values.ts'
import { type Reach, parseEndpointUrl, reachOf } from '../../core/webhooks/endpoint-url.ts'
import { attemptDelivery } from '../../webhook-delivery/attempt.ts'
import { untilChangeHolds } from '../../webhook-delivery/settings-check.ts'
import { pingDelivery, whilePinging } from '../../webhook-delivery/ping.ts'
import { insertPing, lastDayOf } from '../../store/webhooks/deliveries.ts'
import { endpointById, endpointsOf } from '../../store/webhooks/endpoints.ts'
import { openPage } from '../paging.ts'
import { operation } from '../operation.ts'
import { ownRecord, uuidOrNotFound } from '../path-ids.ts'

const toWebhook = (endpoint: Endpoint): Webhook => {
  const until = endpoint.previous_secret_valid_until
  return {
    id: encodeId('whk', endpoint.id),
    url: endpoint.url,
    events: endpoint.events as Webhook['events'],
    description: endpoint.description,
    status: endpoint.status as Webhook['status'],
    disabled_reason: endpoint.disabled_reason,
    consecutive_failures: endpoint.consecutive_failures,
    last_success_at: timeOrNull(endpoint.last_success_at),
    last_failure_at: timeOrNull(endpoint.last_failure_at),
    previous_secret_valid_until: until !== null && until > endpoint.now ? until : null,
    created_at: endpoint.created_at,
  }
}

const egressPolicyOf = ({ context, organization: { mode } }: Call) => {
  const reach = reachOf(mode, context.config.webhooks.reach)
  return { reach, hint: mode === 'test' ? practiceHints[reach] : '' }
}

const practiceHints: Readonly<Record<Reach, string>> = {
  public: '; to practise on one machine, start the service with WEBHOOK_ALLOW_PRIVATE=1',
  loopback: '; to practise, send an http URL of this machine, like http://127.0.0.1:9000/',
  private: '',
}

/** The normalised url, refused unless its text and its host name lead to public addresses. */
const checkedUrl = async (call: Call, url: string): Promise<string> => {
  const policy = egressPolicyOf(call)
  const parsed = parseEndpointUrl(url, policy)
  if (!parsed.ok) throw invalidRequest(parsed.problem)
  const refusal = await call.context.outbound.unreachableReason(parsed.url, policy)
  if (refusal === undefined) return parsed.url.href
  throw invalidRequest({
    param: '/url',
    code: 'invalid_value',
    message: `Nothing can be delivered to ${parsed.url.hostname}: ${refusal}.`,
    fix:
      policy.reach === 'private'
        ? 'send the url of a receiver of your own'
        : `send a url whose host name resolves to public addresses only${policy.hint}`,
  })
}

/** What is wrong with the url wherever endpoints may be; where they may not be is said later. */
const urlProblems = ({ url }: WebhookEdit): Problem[] => {
  const parsed = url === undefined ? undefined : parseEndpointUrl(url, { reach: 'private' })
  return parsed === undefined || parsed.ok ? [] : [parsed.problem]
}

export const webhookDefaults = {
  family: 'webhooks',
  since: '1.15.0',
  allowed: 'admin or scoped',
  scopes: ['webhooks:manage'],
} as const

export const list = operation({
  ...webhookDefaults,
  id: 'webhooks.list',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List webhook endpoints, newest first',
  query: WebhookFilters,
  response: WebhookPage,
  summaryFields: ['id', 'url', 'events', 'status', 'disabled_reason'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'webhooks', query)
  const rows = await endpointsOf(call.read, call.organization.id, page)
  return { body: page.of(rows, toWebhook, ({ id }) => id) }
})

export const get = operation({
  ...webhookDefaults,
  id: 'webhooks.get',
  method: 'GET',
  path: '/v1/webhooks/{id}',
  summary: 'Retrieve a webhook endpoint',
  response: WebhookWithLastDay,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const endpoint = await endpointOf(call, params.id)
  return { body: { ...toWebhook(endpoint), last_day: await lastDayOf(call.read, endpoint.id) } }
})

export const endpointOf = (call: Call, publicId: string): Promise<Endpoint> =>
  ownRecord(call, 'whk', publicId, endpointById)

export const create = operation({
  ...webhookDefaults,
  id: 'webhooks.create',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Register a webhook endpoint',
  description:
    'The endpoint receives every event that is committed from now on; [deliveries.recover](#deliveries.recover) delivers earlier events. The signing secret is shown once, in this response.',
  since: '1.3.0',
  body: WebhookCreate,
  response: WebhookWithSecret,
  status: 201,
  errors: ['conflict', 'sandbox_quota'],
  showsSecret: true,
}).callsOut(
  async (call, { body }) => {
    const url = await checkedUrl(call, body.url)
    return async (tx) => {
      const { webhookSecrets } = call.context.keyring
      const { endpoint, secret } = await registerEndpointWithinQuota(tx, webhookSecrets, {
        organization: call.organization.id,
        ...quotasHeldBy(call),
        url,
        events: body.events ?? [],
        description: body.description ?? null,
      })
      const webhook = toWebhook(endpoint)
      return {
        body: { ...webhook, secret: call.dryRun ? null : secret },
        location: `/v1/webhooks/${webhook.id}`,
        resourceId: webhook.id,
      }
    }
  },
  { problems: urlProblems },
)

export const update = operation({
  ...webhookDefaults,
  id: 'webhooks.update',
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  summary: 'Update or re-enable a webhook endpoint',
  description:
    '`status: ACTIVE` enables the endpoint again and resets its failure count. Deliveries that were skipped in the meantime can be redelivered.',
  body: WebhookEdit,
  response: Webhook,
  errors: ['not_found', 'sandbox_isolation'],
}).callsOut(
  async (call, { params, body }) => {
    const { id } = await endpointOf(call, params.id)
    const url = body.url === undefined ? {} : { url: await checkedUrl(call, body.url) }
    return async (tx) => {
      const endpoint = await editEndpoint(tx, call.organization.id, id, { ...body, ...url })
      return { body: toWebhook(endpoint), resourceId: params.id }
    }
  },
  { problems: urlProblems, afterCommit: untilChangeHolds },
)

export const remove = operation({
  ...webhookDefaults,
  id: 'webhooks.delete',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  summary: 'Delete a webhook endpoint',
  description: 'Stops all deliveries to the endpoint and returns its last record.',
  body: NoBody,
  response: Webhook,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(
  async (tx, call, { params }) => {
    const endpoint = await removeEndpoint(
      tx,
      call.organization.id,
      uuidOrNotFound('whk', params.id),
    )
    return { body: toWebhook(endpoint), resourceId: params.id }
  },
  { afterCommit: untilChangeHolds },
)

export const rotate = operation({
  ...webhookDefaults,
  id: 'webhooks.rotate_secret',
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate_secret',
  summary: 'Rotate the signing secret',
  description:
    'For 24 hours both secrets sign every delivery, the new one first. At most two secrets sign: a second rotation within that time stops the oldest secret immediately. The new secret is shown once, in this response.',
  body: NoBody,
  response: WebhookWithSecret,
  errors: ['not_found', 'sandbox_isolation'],
  showsSecret: true,
}).transacts(
  async (tx, call, { params }) => {
    const { endpoint, secret } = await rotateSecret(
      tx,
      call.organization.id,
      uuidOrNotFound('whk', params.id),
      {
        keys: call.context.keyring.webhookSecrets,
        windowMs: call.context.config.webhooks.secretOverlapMs,
      },
    )
    return {
      body: { ...toWebhook(endpoint), secret: call.dryRun ? null : secret },
      resourceId: params.id,
    }
  },
  { afterCommit: untilChangeHolds },
)

export const ping = operation({
  ...webhookDefaults,
  id: 'webhooks.ping',
  method: 'POST',
  path: '/v1/webhooks/{id}/ping',
  summary: 'Send a test event',
  description:
    'Makes one real attempt, signed like every delivery, even to a DISABLED endpoint, and returns its outcome. A success resets the failure count like any other; a failure never counts. At most two pings of an endpoint run at once.',
  since: '1.3.0',
  body: NoBody,
  response: PingResult,
  errors: ['not_found', 'sandbox_isolation'],
}).callsOut(async (call, { params }) => {
  const endpoint = await endpointOf(call, params.id)
  if (call.dryRun) {
    const body = { delivery_id: null, response_status: null, duration_ms: null, error: null }
    return async () => ({ body })
  }
  const { context } = call
  const sent = pingDelivery(endpoint)
  const secrets = openSecrets(context.keyring.webhookSecrets, endpoint)
  if (secrets === undefined) throw new Error(`the secret of ${params.id} cannot be opened`)
  const { row } = await whilePinging(endpoint.id, async () => {
    const client = context.outbound.client(endpoint.url, egressPolicyOf(call))
    try {
      return await attemptDelivery(client, secrets, sent)
    } finally {
      client.close()
    }
  })
  return async (tx) => {
    await endpointForWrite(tx, call.organization.id, endpoint.id)
    await insertPing(tx, endpoint.id, sent, row)
    const delivery_id = encodeId('dlv', sent.id)
    const { response_status, duration_ms, error } = row
    return { body: { delivery_id, response_status, duration_ms, error }, resourceId: delivery_id }
  }
})
