/** What attempts mean for their deliveries and endpoints (contract 7). */
import { nextAttemptAfter, retryAfterSeconds } from '../core/webhooks/retry-schedule.ts'
import type { Attempted } from './attempt.ts'
import type { Due, Met, Standing } from '../store/webhooks/delivery-queue.ts'

export interface Judging {
  scheduleMs: readonly number[]
  nowMs: number
  /** From 0 to 1. */
  chance: number
}

/** A ping is one attempt; and nothing helps an event that has aged out. */
export const metBy = (
  due: Due,
  { row, retryAfter }: Attempted,
  { scheduleMs, nowMs, chance }: Judging,
): Met => {
  const base = { ...row, webhook_id: due.webhook_id }
  if (row.error === null) return { ...base, status: 'succeeded', retry_ms: null }
  const isFinal = due.event_type === 'ping' || due.payload === null
  const retry_ms = isFinal
    ? undefined
    : nextAttemptAfter(
        {
          attempts: row.number - due.attempts_before,
          responseStatus: row.response_status,
          retryAfterSeconds:
            retryAfter === undefined ? undefined : retryAfterSeconds(retryAfter, nowMs),
          chance,
        },
        scheduleMs,
      )
  return retry_ms === undefined
    ? { ...base, status: 'failed', retry_ms: null }
    : { ...base, status: 'retrying', retry_ms }
}

/** What became of an attempt, and whether its end counts toward the twenty. */
export type Sent = Met & { counts: boolean }

/** A ping proves something about the receiver only when it succeeds; an aged-out event nothing. */
export const countsToward = ({ event_type, payload }: Due): boolean =>
  event_type !== 'ping' && payload !== null

/** One standing per endpoint, from its attempts in the order in which they ended. */
export const standingsOf = (
  met: readonly Sent[],
  /** Endpoints that are let go → in how many ms what was put back is due; null when nothing was. */
  released: ReadonlyMap<string, number | null>,
): Standing[] => {
  const standings = new Map<string, Standing>()
  const of = (webhook_id: string): Standing => {
    const known = standings.get(webhook_id)
    if (known !== undefined) return known
    const fresh: Standing = {
      webhook_id,
      succeeded: false,
      failed: false,
      failures: 0,
      last_error: null,
      retry_ms: null,
      released: false,
    }
    standings.set(webhook_id, fresh)
    return fresh
  }
  for (const { webhook_id, status, error, retry_ms, counts } of met) {
    const standing = of(webhook_id)
    if (status === 'succeeded') {
      standing.succeeded = true
      standing.failures = 0
    } else {
      standing.failed = true
      standing.last_error = error
      if (status === 'failed' && counts) standing.failures += 1
      if (retry_ms !== null) standing.retry_ms = Math.min(standing.retry_ms ?? retry_ms, retry_ms)
    }
  }
  for (const [webhook_id, dueAgainMs] of released) {
    const standing = of(webhook_id)
    standing.released = true
    if (dueAgainMs !== null) {
      standing.retry_ms = Math.min(standing.retry_ms ?? dueAgainMs, dueAgainMs)
    }
  }
  return [...standings.values()].toSorted((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))
}
