/**
 * Failed sign-ins of the last minute, in this process's memory: each process of a deployment admits
 * as many again. They are counted for an e-mail from one network, for the network, and for the
 * block of networks around it, so that neither many guesses for one user nor one guess for many
 * users go unnoticed. No failure counts for another network: anybody could lock out anybody.
 */
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { blockOf, networkOf } from '../../core/identity/ip-addresses.ts'

export interface SignInAttempt {
  address: string
  /** Normalized. */
  email: string
}

/** Throws `rate_limited` when too many attempts like this one have failed. */
export const checkSignInFailures = (attempt: SignInAttempt): void => {
  for (const { windows, keyOf, limit, whose } of counters) {
    const window = windows.get(keyOf(attempt))
    const leftMs = (window?.endsAt ?? 0) - performance.now()
    if (window === undefined || leftMs <= 0 || window.count < limit) continue
    const seconds = Math.max(1, Math.ceil(leftMs / 1000))
    throw refuse(
      'rate_limited',
      `${limit} sign-ins ${whose} have failed. Try again in ${seconds} s.`,
      {
        policy: 'sign_in',
        limit,
        window_seconds: limits.signInFailureWindowMs / 1000,
        retry_after_seconds: seconds,
      },
      { retryAfterSeconds: seconds },
    )
  }
}

export const recordSignInFailure = (attempt: SignInAttempt): void => {
  const now = performance.now()
  for (const { windows, keyOf } of counters) {
    const key = keyOf(attempt)
    const window = windows.get(key)
    if (window !== undefined && window.endsAt > now) {
      window.count += 1
      continue
    }
    windows.delete(key)
    const oldest = windows.keys().next()
    if (windows.size >= limits.signInFailuresTrackedMax && !oldest.done)
      windows.delete(oldest.value)
    windows.set(key, { endsAt: now + limits.signInFailureWindowMs, count: 1 })
  }
}

interface FailureCounter {
  /** The oldest one comes first. */
  windows: Map<string, { endsAt: number; count: number }>
  keyOf(attempt: SignInAttempt): string
  limit: number
  whose: string
}

const counters: readonly FailureCounter[] = [
  {
    windows: new Map(),
    keyOf: ({ address, email }) => `${networkOf(address)} ${email}`,
    limit: limits.signInFailuresPerMinute,
    whose: 'with this e-mail',
  },
  {
    windows: new Map(),
    keyOf: ({ address }) => networkOf(address),
    limit: limits.signInFailuresPerNetworkMax,
    whose: 'from your network',
  },
  {
    windows: new Map(),
    keyOf: ({ address }) => blockOf(address),
    limit: limits.signInFailuresPerBlockMax,
    whose: 'from your network',
  },
]
