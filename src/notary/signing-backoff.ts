/**
 * When a log that could not be signed is tried again, in the memory of this process: its witnesses
 * may be away, its folder full, or its database restored from a backup. A new epoch is not kept
 * waiting for what the one before has failed at.
 */
import { limits } from '../contract/limits.ts'
import { backoffMs } from '../core/backoff.ts'

/** A log is named by its origin. */
export interface SigningBackoff {
  /** True for one caller after each wait, so that no crowd of them asks what just failed. */
  mayTry(origin: string): boolean
  /** Returns how long the log waits now; `random` is from 0 to 1. */
  noteFailure(origin: string, random: number): number
  noteSuccess(origin: string): void
  /** The attempt has shown nothing: the next caller may try at once; no failure is forgotten. */
  noteNothing(origin: string): void
  /**
   * The same, since another session holds the lock of the log, which has so many leaves. True once
   * it has held up the log for too long; whoever works on the log adds leaves, or frees the lock.
   */
  noteLocked(origin: string, leafCount: number): boolean
}

export const openSigningBackoff = (): SigningBackoff => {
  const failed = new Map<string, { count: number; untilMs: number; isTried?: boolean }>()
  const locked = new Map<string, { leafCount: number; sinceMs: number; lastMs: number }>()
  const backoff = { firstMs: limits.sequenceEveryMs, maxMs: limits.sequenceRetryMaxMs }
  const noteNothing = (origin: string): void => {
    const last = failed.get(origin)
    // An attempt that began before the last failure does not end the wait after it.
    if (last?.isTried === true) Object.assign(last, { untilMs: 0, isTried: false })
  }
  return {
    mayTry: (origin) => {
      const last = failed.get(origin)
      if (last === undefined) return true
      if (last.untilMs > performance.now()) return false
      Object.assign(last, { untilMs: performance.now() + backoff.maxMs, isTried: true })
      return true
    },
    noteFailure: (origin, random) => {
      const count = (failed.get(origin)?.count ?? 0) + 1
      const waitMs = backoffMs(backoff, count, random)
      failed.set(origin, { count, untilMs: performance.now() + waitMs })
      return waitMs
    },
    noteSuccess: (origin) => {
      failed.delete(origin)
      locked.delete(origin)
    },
    noteNothing,
    noteLocked: (origin, leafCount) => {
      noteNothing(origin)
      const nowMs = performance.now()
      const before = locked.get(origin)
      // Two attempts with a long time between them have met two locks.
      const isSame =
        before?.leafCount === leafCount && nowMs - before.lastMs < limits.logLockedMaxMs / 4
      const sinceMs = isSame ? before.sinceMs : nowMs
      const isTooLong = nowMs - sinceMs >= limits.logLockedMaxMs
      locked.set(origin, { leafCount, sinceMs: isTooLong ? nowMs : sinceMs, lastMs: nowMs })
      return isTooLong
    },
  }
}
