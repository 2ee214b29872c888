/** Codes of programs that people typed and that do not exist: nobody is to find one by guessing. */
import { limits } from '../../contract/limits.ts'
import { networkOf } from '../../core/identity/ip-addresses.ts'
import { openFailureCounter } from './failure-counter.ts'

export interface UserCodeGuess {
  user: string
  address: string
}

/** Throws `rate_limited` when too many guesses like this one were wrong. */
export const checkUserCodeGuesses = (guess: UserCodeGuess): void => {
  for (const counter of counters) counter.check(guess)
}

export const recordWrongUserCode = (guess: UserCodeGuess): void => {
  for (const counter of counters) counter.record(guess)
}

const common = { policy: 'user_codes', windowMs: limits.wrongUserCodeWindowMs }

const counters = [
  openFailureCounter<UserCodeGuess>({
    ...common,
    keyOf: ({ user }) => user,
    limit: limits.wrongUserCodesMax,
    failed: 'codes that you have sent do not exist',
  }),
  openFailureCounter<UserCodeGuess>({
    ...common,
    keyOf: ({ address }) => networkOf(address),
    limit: limits.wrongUserCodesPerNetworkMax,
    failed: 'codes from your network do not exist',
  }),
]
