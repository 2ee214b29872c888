/** When a failed delivery is retried, and when no more (specification 6.3.6, contract 7). */
import { limits } from '../../contract/limits.ts'

export interface FailedAttempt {
  /** Attempts of the current schedule, including the one that just ended. */
  attemptCount: number
  responseStatus: number | null
  /** Undefined when the receiver sent no Retry-After. */
  retryAfterSeconds: number | undefined
  /** From 0 to 1. */
  random: number
}

/** Retry-After counts only on these responses. */
const retryAfterStatuses = [429, 503]

/**
 * Milliseconds until the next attempt; undefined when this failure is terminal. Retry-After can
 * lengthen the delay up to the next slot of the schedule, but never shorten it: otherwise a few
 * responses would use up a schedule that is meant to outlast an outage.
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
  const maxDelay = Math.max(scheduleMs[attemptCount] ?? slot, slot)
  return Math.round(Math.max(jittered, Math.min(retryAfterSeconds * 1000, maxDelay)))
}

/** Retry-After in seconds or as an HTTP date → seconds from now; undefined for anything else. */
export const parseRetryAfter = (header: string, nowMs: number): number | undefined => {
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at = / GMT$/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}

export const hasSucceeded = (responseStatus: number | null, error: string | null): boolean =>
  error === null && responseStatus !== null && responseStatus >= 200 && responseStatus < 300
