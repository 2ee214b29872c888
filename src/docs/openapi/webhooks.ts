/** What the service sends: one webhook for each type of event, for the specification document. */
import { type EventType, eventTypeNames, eventTypes } from '../../contract/events.ts'
import { eventSchemaOf } from '../../contract/shapes/events.ts'
import { schemaOrReference } from './json-schema.ts'
import { shapeNames } from '../shapes.ts'
import type { BodyContent, Parameter, ReferenceObject } from './parameters.ts'

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
    'HMAC-SHA256 of `<t>.<raw body>` for each active secret. Accept when any matches, and when `t` is at most 300 seconds away.',
    't=1795225204,v1=9c0f7a3d…',
  ),
  SvcWebhookId: header(
    'Svc-Webhook-Id',
    'The id of the event, the same over all attempts: the key by which to ignore a repetition.',
    'evt_01kbm9s346q3d25vt4f5v37e3s',
  ),
  SvcWebhookTimestamp: header(
    'Svc-Webhook-Timestamp',
    'The `t` of the signature, in unix seconds.',
    '1795225204',
  ),
  SvcWebhookSignature: header(
    'Svc-Webhook-Signature',
    'The signatures without `t`.',
    'v1=9c0f7a3d…',
  ),
  SvcDeliveryId: header('Svc-Delivery-Id', 'The delivery.', 'dlv_01kbm9s4c7e2v9q6w0x1y3z5ab'),
  SvcDeliveryAttempt: header('Svc-Delivery-Attempt', 'Which attempt this is, from 1.', '1'),
  WebhookId: header(
    'webhook-id',
    'The id of the event, for libraries of Standard Webhooks (standardwebhooks.com).',
    'evt_01kbm9s346q3d25vt4f5v37e3s',
  ),
  WebhookTimestamp: header('webhook-timestamp', 'The same in unix seconds.', '1795225204'),
  WebhookSignature: header(
    'webhook-signature',
    'Base64 HMAC-SHA256 of `<id>.<t>.<raw body>`, keyed by the decoded bytes of the secret, for each active secret.',
    'v1,nA96PQ…',
  ),
}

const webhookOperation = (type: EventType): WebhookOperation => ({
  operationId: `webhook.${type}`,
  tags: ['webhooks'],
  summary: type,
  description: `${eventTypes[type]} Sent to every endpoint that subscribes to it, at least once; order by \`sequence\`.`,
  security: [],
  parameters: Object.keys(webhookHeaders).map((name) => ({
    $ref: `#/components/parameters/${name}`,
  })),
  requestBody: {
    required: true,
    content: { 'application/json': { schema: schemaOrReference(eventSchemaOf(type), shapeNames) } },
  },
  responses: {
    '2XX': { description: 'Received. Anything else is tried again.' },
  },
})

export const webhookPathItems = (): Record<string, { post: WebhookOperation }> =>
  Object.fromEntries(eventTypeNames.map((type) => [type, { post: webhookOperation(type) }]))
