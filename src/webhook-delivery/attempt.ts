/**
 * One attempt at a delivery: signed at this moment, sent as the bytes it is, judged. The ping and
 * the workers do it alike, so what a ping proves holds for the real thing.
 */
import type { SigningSecrets } from '../changes/webhooks/endpoints.ts'
import { version } from '../contract/version.ts'
import { encodeId } from '../core/ids.ts'
import { hasSucceeded } from '../core/webhooks/retry-schedule.ts'
import { signatureHeaders } from '../core/webhooks/signature.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { newId } from '../database/new-ids.ts'
import type { AttemptRow } from '../store/webhooks/deliveries.ts'

export interface SendableDelivery {
  id: string
  event_id: string
  /** Attempts made before. */
  attempt_count: number
  payload: string
}

export interface AttemptResult {
  row: AttemptRow
  /** As sent. */
  retryAfter: string | undefined
}

const userAgent = `DocumentExchange/${version} (+webhooks)`

export const attemptDelivery = async (
  client: OutboundClient,
  secrets: SigningSecrets,
  delivery: SendableDelivery,
): Promise<AttemptResult> => {
  const nowMs = Date.now()
  const { current, previous } = secrets
  const signingSecrets =
    previous !== undefined && previous.untilMs > nowMs ? [current, previous.secret] : [current]
  const number = delivery.attempt_count + 1
  const headers = signatureHeaders(signingSecrets, {
    eventId: encodeId('evt', delivery.event_id),
    deliveryId: encodeId('dlv', delivery.id),
    attempt: number,
    unixSeconds: Math.floor(nowMs / 1000),
    body: delivery.payload,
  })
  headers['content-type'] = 'application/json'
  headers['user-agent'] = userAgent
  const response = await client.post(headers, delivery.payload)
  return {
    row: {
      delivery_id: delivery.id,
      number,
      at: new Date(nowMs).toISOString(),
      response_status: response.status,
      duration_ms: response.durationMs,
      error: hasSucceeded(response.status, response.error) ? null : failureOf(response),
      response_body: response.body,
    },
    retryAfter: response.retryAfter,
  }
}

/** Statuses that send elsewhere: 304 does not. */
const redirectStatuses = [301, 302, 303, 307, 308]

const failureOf = ({ status, error }: { status: number | null; error: string | null }): string => {
  if (error !== null) return error
  return redirectStatuses.includes(status!)
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`
}

/** An attempt that could not be made; nothing was sent. */
export const unsentAttempt = (
  delivery: Omit<SendableDelivery, 'payload'>,
  error: string,
): AttemptResult => ({
  row: {
    delivery_id: delivery.id,
    number: delivery.attempt_count + 1,
    at: new Date().toISOString(),
    response_status: null,
    duration_ms: 0,
    error,
    response_body: null,
  },
  retryAfter: undefined,
})

/** A test event, of which nothing is in the feed. */
export const pingDelivery = (endpoint: { mode: string; now: string }): SendableDelivery => {
  const event_id = newId()
  const payload = JSON.stringify({
    id: encodeId('evt', event_id),
    type: 'ping',
    api_version: version,
    created_at: endpoint.now,
    data: {},
    ...(endpoint.mode === 'test' ? { sandbox: true } : {}),
  })
  return { id: newId(), event_id, attempt_count: 0, payload }
}
