/** What attempts mean for their deliveries and endpoints (contract 7). */
import { retryDelayMs, parseRetryAfter } from '../core/webhooks/retry-schedule.ts'
import type { AttemptResult } from './attempt.ts'
import type { DueDelivery, AttemptOutcome, HealthUpdate } from '../store/webhooks/delivery-queue.ts'

export interface RetryConditions {
  scheduleMs: readonly number[]
  nowMs: number
  /** From 0 to 1. */
  chance: number
}

/** A ping is one attempt; and nothing helps an event that has aged out. */
export const attemptOutcomeOf = (
  due: DueDelivery,
  { row, retryAfter }: AttemptResult,
  { scheduleMs, nowMs, chance: random }: RetryConditions,
): AttemptOutcome => {
  const base = { ...row, webhook_id: due.webhook_id }
  if (row.error === null) return { ...base, status: 'succeeded', retry_ms: null }
  const isFinal = due.event_type === 'ping' || due.payload === null
  const retry_ms = isFinal
    ? undefined
    : retryDelayMs(
        {
          attemptCount: row.number - due.attempts_before,
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

/** What became of an attempt, and whether its end counts toward the twenty. */
export type SentOutcome = AttemptOutcome & { countsTowardDisabling: boolean }

/** A ping proves something about the receiver only when it succeeds; an aged-out event nothing. */
export const countsTowardDisabling = ({ event_type, payload }: DueDelivery): boolean =>
  event_type !== 'ping' && payload !== null

/** One standing per endpoint, from its attempts in the order in which they ended. */
export const healthUpdatesOf = (
  outcomes: readonly SentOutcome[],
  /** Endpoints that are let go → in how many ms what was put back is due; null when nothing was. */
  released: ReadonlyMap<string, number | null>,
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
      retry_ms: null,
      released: false,
    }
    updates.set(webhook_id, fresh)
    return fresh
  }
  for (const { webhook_id, status, error, retry_ms, countsTowardDisabling } of outcomes) {
    const update = updateOf(webhook_id)
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
  for (const [webhook_id, dueAgainMs] of released) {
    const update = updateOf(webhook_id)
    update.released = true
    if (dueAgainMs !== null) {
      update.retry_ms = Math.min(update.retry_ms ?? dueAgainMs, dueAgainMs)
    }
  }
  return [...updates.values()].toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
}
