/** When a delivery is tried again, and when it is over (specification 6.3.6, contract 7). */
import { limits } from '../../contract/limits.ts'

export interface FailedAttempt {
  /** Attempts of the present schedule, the one that just ended included. */
  attemptCount: number
  responseStatus: number | null
  /** Seconds that the receiver asked for; undefined = it did not. */
  retryAfterSeconds: number | undefined
  /** Chance from 0 to 1. */
  random: number
}

/** Only these answers may ask for time: too many requests, and unavailable. */
const retryAfterStatuses = [429, 503]

/**
 * Milliseconds until the next attempt; undefined when this failure was the last. A receiver that
 * asks for time gets it, up to the next slot of the schedule: never less than its own slot, or a
 * few answers would use up a schedule that is meant to outlast an outage.
 */
export const retryDelayMs = (
  { attemptCount, responseStatus, retryAfterSeconds, random }: FailedAttempt,
  scheduleMs: readonly number[],
): number | undefined => {
  const slot = scheduleMs[attemptCount - 1]
  if (slot === undefined) return undefined
  const jittered = slot * (1 + limits.webhookRetryJitter * (2 * random - 1))
  if (retryAfterSeconds === undefined || !retryAfterStatuses.includes(responseStatus ?? 0)) {
    return Math.round(jittered)
  }
  const most = Math.max(scheduleMs[attemptCount] ?? slot, slot)
  return Math.round(Math.max(jittered, Math.min(retryAfterSeconds * 1000, most)))
}

/** Retry-After as seconds or as an HTTP date → seconds from now; undefined when it is neither. */
export const parseRetryAfter = (header: string, nowMs: number): number | undefined => {
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = / GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}

export const hasSucceeded = (responseStatus: number | null, error: string | null): boolean =>
  error === null && responseStatus !== null && responseStatus >= 200 && responseStatus < 300
