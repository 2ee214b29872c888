/**
 * Counts failures of a kind in this process's memory, and refuses further attempts for a while:
 * each process of a deployment admits as many again.
 */
import { rateLimited } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'

export interface FailureLimit<Attempt> {
  /** Which attempts are counted together. */
  keyOf(attempt: Attempt): string
  policy: string
  limit: number
  windowMs: number
  /** Completes "10 …", as in "10 codes do not exist". */
  failed: string
}

export interface FailureCounter<Attempt> {
  /** Throws `rate_limited` when too many attempts like this one have failed. */
  check(attempt: Attempt): void
  record(attempt: Attempt): void
}

export const openFailureCounter = <Attempt>({
  keyOf,
  policy,
  limit,
  windowMs,
  failed,
}: FailureLimit<Attempt>): FailureCounter<Attempt> => {
  /** The oldest one comes first. */
  const windows = new Map<string, { endsAt: number; count: number }>()
  return {
    check: (attempt) => {
      const window = windows.get(keyOf(attempt))
      const leftMs = (window?.endsAt ?? 0) - performance.now()
      if (window === undefined || leftMs <= 0 || window.count < limit) return
      const seconds = Math.max(1, Math.ceil(leftMs / 1000))
      throw rateLimited(`${limit} ${failed}. Try again in ${seconds} s.`, {
        policy,
        limit,
        windowSeconds: windowMs / 1000,
        retryAfterSeconds: seconds,
      })
    },
    record: (attempt) => {
      const now = performance.now()
      const key = keyOf(attempt)
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
      windows.set(key, { endsAt: now + windowMs, count: 1 })
    },
  }
}
