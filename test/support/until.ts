/** Waits of tests: for conditions and promises, never for a fixed time. */
import assert from 'node:assert/strict'

/** A start of the console has taken 90 s on a machine that was busy with other work. */
export const stuckAfterMs = 180_000

/**
 * For a whole test, which waits several times: those of loans took over 180 s at a load of 35. The
 * runner ends a file after 900 s, and says of no test that it was stuck.
 */
export const stuckTestAfterMs = 600_000

/**
 * Looks often at first, and less often the longer it waits: a look may be a whole request, and a
 * look every 10 ms took half a processor from the tests that ran at the same time.
 */
const pauseMs = (waitedMs: number): number => Math.min(50, Math.max(10, waitedMs / 10))

/**
 * Waits until the condition holds, and fails with its description after the deadline. That is no
 * measurement: it only ends a test that is stuck, also on a machine that is busy with other work.
 */
export const until = async (
  description: string,
  holds: () => Promise<boolean> | boolean,
  deadlineMs = stuckAfterMs,
): Promise<void> => {
  for (const startedAt = Date.now(); !(await holds());) {
    const waitedMs = Date.now() - startedAt
    if (waitedMs > deadlineMs) assert.fail(`did not happen in ${deadlineMs} ms: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)))
  }
}

/** The promise, or a failure with its description after the deadline. */
export const inTime = async <T>(
  description: string,
  promise: Promise<T>,
  deadlineMs = stuckAfterMs,
): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = new Error(`did not happen in ${deadlineMs} ms: ${description}`)
  const timer = setTimeout(() => reject(error), deadlineMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
