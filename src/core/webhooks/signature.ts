/**
 * The signature headers of a delivery (specification 6.3, contract 7), in two schemes. Both sign
 * the exact bytes of the body.
 *
 *   Svc-Signature      t=<unix seconds>,v1=<hex>  HMAC-SHA256 over "<t>.<body>",
 *                                                 keyed by the whole secret as UTF-8
 *   webhook-signature  v1,<base64>                HMAC-SHA256 over "<id>.<t>.<body>",
 *                                                 keyed by the secret's decoded bytes
 *                                                 (Standard Webhooks)
 *
 * One entry per active secret, the newest first. `Svc-Webhook-Id` is the event id, the same for all
 * attempts and redeliveries, so receivers can discard duplicates.
 */
import { type KeyObject, createHmac, createSecretKey } from 'node:crypto'

const secretPrefix = 'whsec_'

/** `whsec_` and standard base64 of 32 bytes. */
export const formatSecret = (bytes: Buffer): string => `${secretPrefix}${bytes.toString('base64')}`

/** A secret as the keys of both schemes. */
export interface SigningSecret {
  textKey: KeyObject
  decodedKey: KeyObject
}

export const signingSecret = (secret: string): SigningSecret => ({
  textKey: createSecretKey(Buffer.from(secret)),
  decodedKey: createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64')),
})

export interface WebhookMessage {
  /** Event id, `evt_…`. */
  eventId: string
  /** Delivery id, `dlv_…`. */
  deliveryId: string
  /** The number of the attempt, from 1. */
  attempt: number
}

interface SignedText {
  eventId: string
  unixSeconds: number
  body: string
}

/** The values of both headers, `Svc-Signature` first: what an attempt keeps of its signing. */
export const signaturesOf = (
  secrets: readonly SigningSecret[],
  { eventId, unixSeconds, body }: SignedText,
): string => {
  const signed = `${unixSeconds}.${body}`
  const entries = secrets.map(({ textKey }) => `v1=${hmac(textKey, signed, 'hex')}`).join(',')
  const standard = secrets
    .map(({ decodedKey }) => `v1,${hmac(decodedKey, `${eventId}.${signed}`, 'base64')}`)
    .join(' ')
  return `t=${unixSeconds},${entries} ${standard}`
}

/** The headers that carry signatures of `signaturesOf`. */
export const signatureHeaders = (
  { eventId, deliveryId, attempt }: WebhookMessage,
  signatures: string,
): Record<string, string> => {
  const end = signatures.indexOf(' ')
  const signature = signatures.slice(0, end)
  const comma = signature.indexOf(',')
  const seconds = signature.slice('t='.length, comma)
  return {
    'svc-signature': signature,
    'svc-webhook-id': eventId,
    'svc-webhook-timestamp': seconds,
    'svc-webhook-signature': signature.slice(comma + 1),
    'svc-delivery-id': deliveryId,
    'svc-delivery-attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.slice(end + 1),
  }
}

const hmac = (key: KeyObject, text: string, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(text).digest(encoding)
