/** The webhooks of the OpenAPI document: one for each event type. */
import { type EventType, eventTypeNames, eventTypes } from '../../contract/events.ts'
import { exampleEventOf } from '../examples/events.ts'
import type { BodyContent, Parameter, ReferenceObject } from './parameters.ts'
import { eventReference } from './unions.ts'

export interface WebhookOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security: never[]
  parameters: ReferenceObject[]
  requestBody: { required: true; content: BodyContent }
  responses: Record<string, { description: string }>
}

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', examples: [example] },
})

/** Specification 6.3 and contract 7. */
export const webhookHeaders: Readonly<Record<string, Parameter>> = {
  SvcSignature: header(
    'Svc-Signature',
    'The HMAC-SHA256 of `<t>.<raw body>` for each active secret. Accept the delivery if any of them matches and `t` differs from your clock by at most 300 seconds.',
    't=1795225204,v1=9c0f7a3d…',
  ),
  SvcWebhookId: header(
    'Svc-Webhook-Id',
    'The id of the event, the same for all attempts. Use it to ignore duplicates.',
    'evt_01kbm9s346q3d25vt4f5v37e3s',
  ),
  SvcWebhookTimestamp: header(
    'Svc-Webhook-Timestamp',
    'The `t` of the signature, in Unix seconds.',
    '1795225204',
  ),
  SvcWebhookSignature: header(
    'Svc-Webhook-Signature',
    'The signatures, without `t`.',
    'v1=9c0f7a3d…',
  ),
  SvcDeliveryId: header(
    'Svc-Delivery-Id',
    'The id of the delivery.',
    'dlv_01kbm9s4c7e2v9q6w0x1y3z5ab',
  ),
  SvcDeliveryAttempt: header(
    'Svc-Delivery-Attempt',
    'The number of the attempt, starting at 1.',
    '1',
  ),
  WebhookId: header(
    'webhook-id',
    'The id of the event, for Standard Webhooks libraries (standardwebhooks.com).',
    'evt_01kbm9s346q3d25vt4f5v37e3s',
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'The time of the attempt, in Unix seconds.',
    '1795225204',
  ),
  WebhookSignature: header(
    'webhook-signature',
    'The Base64 HMAC-SHA256 of `<id>.<t>.<raw body>`, keyed by the decoded bytes of the secret, for each active secret.',
    'v1,nA96PQ…',
  ),
}

const webhookOperation = (type: EventType): WebhookOperation => ({
  operationId: `webhook.${type}`,
  tags: ['webhooks'],
  summary: type,
  description: `${eventTypes[type]} Sent at least once to every endpoint that subscribes to the type; order events by \`sequence\`.`,
  security: [],
  parameters: Object.keys(webhookHeaders).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  })),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: eventReference(type), example: exampleEventOf(type) },
    },
  },
  responses: { '2XX': { description: 'Received. Any other response is retried.' } },
})

export const webhookPathItems = (): Record<string, { post: WebhookOperation }> =>
  Object.fromEntries(eventTypeNames.map((type) => [type, { post: webhookOperation(type) }]))
