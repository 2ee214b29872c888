/** Derives the state of deliveries and the health of endpoints from attempts (contract 7). */
import { retryDelayMs, parseRetryAfter } from '../core/webhooks/retry-schedule.ts'
import type { AttemptResult } from './attempt.ts'
import type { AttemptOutcome, HealthUpdate } from '../store/webhooks/attempt-results.ts'
import type { DueDelivery } from '../store/webhooks/due-deliveries.ts'

export interface RetryConditions {
  scheduleMs: readonly number[]
  nowMs: number
  /** A random number from 0 to 1, for jitter. */
  random: number
}

/** Pings, expired events and broken ones are never retried. */
export const attemptOutcomeOf = (
  due: DueDelivery,
  { row, retryAfter }: AttemptResult,
  { scheduleMs, nowMs, random }: RetryConditions,
): AttemptOutcome => {
  const { webhook_id, attempts_before } = due
  const base = { ...row, webhook_id, attempts_before }
  if (row.error === null) return { ...base, status: 'succeeded', retry_ms: null }
  const isFinal = due.event_type === 'ping' || due.payload === null
  const retry_ms = isFinal
    ? undefined
    : retryDelayMs(
        {
          attemptCount: row.number - attempts_before,
          responseStatus: row.response_status,
          retryAfterSeconds:
            retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, nowMs),
          random,
        },
        scheduleMs,
      )
  return retry_ms === undefined
    ? { ...base, status: 'failed', retry_ms: null }
    : { ...base, status: 'retrying', retry_ms }
}

/** The outcome of an attempt, and whether a terminal failure counts against the endpoint. */
export type SentOutcome = AttemptOutcome & { countsTowardDisabling: boolean }

/** Pings, events that cannot be sent and faults of our own say nothing about the endpoint. */
export const countsTowardDisabling = (
  { event_type, payload }: DueDelivery,
  { isOurFault }: AttemptResult,
): boolean => event_type !== 'ping' && payload !== null && !isOurFault

/** Released endpoints, with the delay after which returned deliveries are due; null if none are. */
export type Released = ReadonlyMap<string, number | null>

/** One update per endpoint, from its attempts in the order in which they ended. */
export const healthUpdatesOf = (
  outcomes: readonly SentOutcome[],
  released: Released,
): HealthUpdate[] => {
  const updates = new Map<string, HealthUpdate>()
  const updateOf = (webhook_id: string): HealthUpdate => {
    const existing = updates.get(webhook_id)
    if (existing !== undefined) return existing
    const fresh: HealthUpdate = {
      webhook_id,
      succeeded: false,
      failed: false,
      failures: 0,
      last_error: null,
      at: null,
      retry_ms: null,
      released: false,
    }
    updates.set(webhook_id, fresh)
    return fresh
  }
  for (const { webhook_id, status, error, at, retry_ms, countsTowardDisabling } of outcomes) {
    const update = updateOf(webhook_id)
    if (update.at === null || at > update.at) update.at = at
    if (status === 'succeeded') {
      update.succeeded = true
      update.failures = 0
    } else {
      update.failed = true
      update.last_error = error
      if (status === 'failed' && countsTowardDisabling) update.failures += 1
      if (retry_ms !== null) update.retry_ms = Math.min(update.retry_ms ?? retry_ms, retry_ms)
    }
  }
  for (const [webhook_id, dueMs] of released) {
    const update = updateOf(webhook_id)
    update.released = true
    if (dueMs !== null) update.retry_ms = Math.min(update.retry_ms ?? dueMs, dueMs)
  }
  return [...updates.values()].toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
}
