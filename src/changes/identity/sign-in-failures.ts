/**
 * Failed sign-ins of the last minute. They are counted for an e-mail from one network, for the
 * network, and for the block of networks around it, so that neither many guesses for one user nor
 * one guess for many users go unnoticed. No failure counts for another network: anybody could lock
 * out anybody.
 */
import { limits } from '../../contract/limits.ts'
import { blockOf, networkOf } from '../../core/identity/ip-addresses.ts'
import { openFailureCounter } from './failure-counter.ts'

export interface SignInAttempt {
  address: string
  /** Normalized; null where the person has not said who it is. */
  email: string | null
}

/** Throws `rate_limited` when too many attempts like this one have failed. */
export const checkSignInFailures = (attempt: SignInAttempt): void => {
  for (const counter of counters) counter.check(attempt)
}

export const recordSignInFailure = (attempt: SignInAttempt): void => {
  for (const counter of counters) counter.record(attempt)
}

const common = { policy: 'sign_in', windowMs: limits.signInFailureWindowMs }

const counters = [
  openFailureCounter<SignInAttempt>({
    ...common,
    keyOf: ({ address, email }) => (email === null ? undefined : `${networkOf(address)} ${email}`),
    limit: limits.signInFailuresPerMinute,
    failed: 'sign-ins with this e-mail have failed',
  }),
  openFailureCounter<SignInAttempt>({
    ...common,
    keyOf: ({ address }) => networkOf(address),
    limit: limits.signInFailuresPerNetworkMax,
    failed: 'sign-ins from your network have failed',
  }),
  openFailureCounter<SignInAttempt>({
    ...common,
    keyOf: ({ address }) => blockOf(address),
    limit: limits.signInFailuresPerBlockMax,
    failed: 'sign-ins from your network have failed',
  }),
]
