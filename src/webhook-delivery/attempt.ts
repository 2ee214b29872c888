/**
 * One delivery attempt: signs the payload, sends it and judges the response. Pings and workers
 * share this code, so a ping that succeeds proves that deliveries can.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { SigningSecrets } from '../changes/webhooks/endpoints.ts'
import { limits } from '../contract/limits.ts'
import { version } from '../contract/version.ts'
import { encodeId } from '../core/ids.ts'
import { hasSucceeded } from '../core/webhooks/retry-schedule.ts'
import { signatureHeaders, signaturesOf } from '../core/webhooks/signature.ts'
import type { CallTimings, OutboundClient } from '../outbound/client.ts'
import type { AttemptRow } from '../store/webhooks/deliveries.ts'

export interface SendableDelivery {
  id: string
  event_id: string
  /** Earlier attempts. */
  attempt_count: number
  payload: string
  /** The time to record, by the database's clock; the signature has that of the process. */
  at: string
}

export interface AttemptResult {
  row: AttemptRow
  /** The Retry-After header as received. */
  retryAfter: string | undefined
  /** The attempt failed for want of our own resources. */
  isOurFault: boolean
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
  const signatures = signaturesOf(signingSecrets, {
    eventId: encodeId('evt', delivery.event_id),
    unixSeconds: Math.floor(nowMs / 1000),
    body: delivery.payload,
  })
  const headers = requestHeaders(delivery, { number, signatures })
  const response = await client.post(headers, delivery.payload)
  const isSuccess = hasSucceeded(response.status, response.error)
  return {
    row: {
      delivery_id: delivery.id,
      number,
      at: delivery.at,
      response_status: response.status,
      duration_ms: response.durationMs,
      error: isSuccess ? null : failureOf(response),
      response_body: response.body,
      response_headers: isSuccess ? null : keptHeaders(response.headers),
      timings: keptTimings(response.timings),
      signatures,
    },
    retryAfter: response.headers['retry-after'],
    isOurFault: response.isOurFault,
  }
}

/** The headers of an attempt, to send them and to show them; `User-Agent` is of this release. */
export const requestHeaders = (
  { id, event_id }: Pick<SendableDelivery, 'id' | 'event_id'>,
  { number: attempt, signatures }: { number: number; signatures: string },
): Record<string, string> => {
  const message = { eventId: encodeId('evt', event_id), deliveryId: encodeId('dlv', id), attempt }
  return {
    ...signatureHeaders(message, signatures),
    'content-type': 'application/json',
    'user-agent': userAgent,
  }
}

/** A cookie may be the receiver's secret. What follows the bound is left out. */
const keptHeaders = (headers: IncomingHttpHeaders): string | null => {
  const kept: Record<string, string> = {}
  let room = limits.outboundResponseKeptBytes
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    if (name === 'set-cookie') continue
    room -= name.length + text.length
    if (room < 0) break
    kept[name] = text
  }
  return Object.keys(kept).length === 0 ? null : JSON.stringify(kept)
}

/** Null before any step has ended. */
const keptTimings = (timings: CallTimings): string | null => {
  const entries = Object.entries(timings).map(([step, ms]) => [step, Math.round(ms as number)])
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries))
}

/** Without 304, which does not redirect. */
const redirectStatuses = [301, 302, 303, 307, 308]

const failureOf = ({ status, error }: { status: number | null; error: string | null }): string => {
  if (error !== null) return error
  return redirectStatuses.includes(status!)
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`
}

/** A failed attempt for which nothing was sent. */
export const unsentAttempt = (
  delivery: Omit<SendableDelivery, 'payload'>,
  error: string,
): AttemptResult => ({
  row: {
    delivery_id: delivery.id,
    number: delivery.attempt_count + 1,
    at: delivery.at,
    response_status: null,
    duration_ms: 0,
    error,
    response_body: null,
    response_headers: null,
    timings: null,
    signatures: null,
  },
  retryAfter: undefined,
  isOurFault: false,
})
