/**
 * How long sign-ins wait after failures (docs/decisions/0175). Each of a few failures is free; from
 * then on, each doubles the wait, up to some minutes. Failures are forgotten one after the other.
 */
import { limits } from '../../contract/limits.ts'
import { timeOrZeroMs } from '../unsealed-values.ts'

/** What is counted together. */
export interface FailureCount {
  /** When the last failure is forgotten. */
  forgotten_at: string
  refused_until: string | null
  /** Somebody has signed in: only an account on a network is known. */
  known_until: string | null
}

export interface FailureRule {
  freeFailures: number
  /** How long it takes until one failure less counts. */
  forgottenMs: number
}

export const failureRules = {
  accountOnNetwork: {
    freeFailures: limits.signInFailuresFree,
    forgottenMs: limits.signInFailureForgottenMs,
  },
  account: {
    freeFailures: limits.signInFailuresPerAccountFree,
    forgottenMs: limits.signInFailureOfAccountForgottenMs,
  },
  network: {
    freeFailures: limits.signInFailuresPerNetworkFree,
    forgottenMs: limits.signInFailureOfNetworkForgottenMs,
  },
  block: {
    freeFailures: limits.signInFailuresPerBlockFree,
    forgottenMs: limits.signInFailureOfBlockForgottenMs,
  },
} as const satisfies Record<string, FailureRule>

const doublingsMax = Math.ceil(Math.log2(limits.signInWaitMaxMs / limits.signInFirstWaitMs))

/** Nobody waits for longer than the longest wait, whatever the row says, which no seal covers. */
export const waitLeftMs = ({ refused_until: until }: FailureCount, nowMs: number): number => {
  const leftMs = until === null ? 0 : timeOrZeroMs(until) - nowMs
  return leftMs <= limits.signInWaitMaxMs ? Math.max(0, leftMs) : 0
}

export const isKnown = ({ known_until: until }: FailureCount, nowMs: number): boolean =>
  until !== null && Date.parse(until) > nowMs

/** More failures than make the longest wait do not count, so that they are forgotten in time. */
export const withFailure = <C extends FailureCount>(
  { freeFailures, forgottenMs }: FailureRule,
  count: C,
  nowMs: number,
): C => {
  const before = Math.max(0, timeOrZeroMs(count.forgotten_at) - nowMs)
  const leftMs = Math.min(before + forgottenMs, (freeFailures + doublingsMax) * forgottenMs)
  const doublings = Math.ceil(leftMs / forgottenMs) - freeFailures
  const waitMs = Math.min(limits.signInFirstWaitMs * 2 ** doublings, limits.signInWaitMaxMs)
  return {
    ...count,
    forgotten_at: timeAt(nowMs + leftMs),
    refused_until: doublings < 0 ? null : timeAt(nowMs + waitMs),
  }
}

/** What was counted before it was known has not failed. */
export const withoutFailure = <C extends FailureCount>(
  { forgottenMs }: FailureRule,
  count: C,
): C => ({
  ...count,
  forgotten_at: timeAt(timeOrZeroMs(count.forgotten_at) - forgottenMs),
  refused_until: null,
})

export const withSuccess = <C extends FailureCount>(count: C, nowMs: number): C => ({
  ...count,
  forgotten_at: timeAt(nowMs),
  refused_until: null,
  known_until: timeAt(nowMs + limits.signInNetworkKnownMs),
})

const timeAt = (ms: number): string => new Date(ms).toISOString()
