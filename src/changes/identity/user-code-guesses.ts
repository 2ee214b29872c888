/**
 * Codes of programs that people typed and that do not exist: nobody is to find one by guessing.
 * They are counted in this process's memory: each process of a deployment admits as many again.
 */
import { rateLimited } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { wholeSeconds } from '../../core/dates.ts'
import { networkOf } from '../../core/identity/ip-addresses.ts'

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

interface GuessLimit {
  /** Which guesses are counted together. */
  keyOf(guess: UserCodeGuess): string
  limit: number
  /** Whose codes do not exist, as in "10 codes from your network do not exist". */
  whose: string
}

export const openGuessCounter = ({ keyOf, limit, whose }: GuessLimit) => {
  /** The oldest one comes first. */
  const windows = new Map<string, { endsAt: number; count: number }>()
  return {
    check: (guess: UserCodeGuess): void => {
      const window = windows.get(keyOf(guess))
      const leftMs = (window?.endsAt ?? 0) - performance.now()
      if (window === undefined || leftMs <= 0 || window.count < limit) return
      const seconds = wholeSeconds(leftMs)
      throw rateLimited(`${limit} codes ${whose} do not exist. Try again in ${seconds} s.`, {
        policy: 'user_codes',
        limit,
        windowSeconds: limits.wrongUserCodeWindowMs / 1000,
        retryAfterSeconds: seconds,
      })
    },
    record: (guess: UserCodeGuess): void => {
      const now = performance.now()
      const key = keyOf(guess)
      const window = windows.get(key)
      if (window !== undefined && window.endsAt > now) {
        window.count += 1
        return
      }
      windows.delete(key)
      const oldest = windows.keys().next()
      if (windows.size >= limits.wrongUserCodesTrackedMax && !oldest.done) {
        windows.delete(oldest.value)
      }
      windows.set(key, { endsAt: now + limits.wrongUserCodeWindowMs, count: 1 })
    },
  }
}

const counters = [
  openGuessCounter({
    keyOf: ({ user }) => user,
    limit: limits.wrongUserCodesMax,
    whose: 'that you have sent',
  }),
  openGuessCounter({
    keyOf: ({ address }) => networkOf(address),
    limit: limits.wrongUserCodesPerNetworkMax,
    whose: 'from your network',
  }),
]
