/** The test event that an admin can send to an endpoint. */
import { rateLimited } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { version } from '../contract/version.ts'
import { pingPayload } from '../core/webhooks/ping-payload.ts'
import { newId } from '../database/new-ids.ts'
import type { SendableDelivery } from './attempt.ts'

const running = new Map<string, number>()
const { concurrentPingsPerEndpointMax: pingsMax } = limits

/**
 * Makes a ping unless as many of the endpoint as may run at once do so: a receiver that hangs holds
 * each for 15 s. Each process counts its own.
 */
export const whilePinging = async <T>(endpoint: string, ping: () => Promise<T>): Promise<T> => {
  const others = running.get(endpoint) ?? 0
  if (others >= pingsMax) throw tooManyPings()
  running.set(endpoint, others + 1)
  try {
    return await ping()
  } finally {
    const left = running.get(endpoint)! - 1
    if (left === 0) running.delete(endpoint)
    else running.set(endpoint, left)
  }
}

const tooManyPings = () =>
  rateLimited(
    `${pingsMax} pings of this endpoint are running. Send this one when one of them has ended.`,
    {
      policy: 'pings',
      limit: pingsMax,
      windowSeconds: limits.outboundTimeoutMs / 1000,
      retryAfterSeconds: 1,
    },
  )

/** A ping is not in the feed, so its payload and its event id are made here. */
export const pingDelivery = (endpoint: { mode: string; now: string }): SendableDelivery => {
  const event_id = newId()
  const { mode, now } = endpoint
  const payload = pingPayload({ event_id, api_version: version, created_at: now, mode })
  return { id: newId(), event_id, attempt_count: 0, payload, at: now }
}
