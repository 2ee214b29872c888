/**
 * Look-ups that wait at the same moment share one statement. While one is on its way the next
 * collects; there is no timer and no cache, so every answer is read after it was asked for. A
 * statement takes so few that this process and the database work at the same time: were all that
 * wait in one, each would wait for the other.
 */
import { limits } from '../contract/limits.ts'

export const batchLoader = <K, V>(
  run: (keys: readonly K[]) => Promise<readonly V[]>,
  concurrentMax = 2,
): ((key: K) => Promise<V>) => {
  type Waiting = { key: K; resolve(value: V): void; reject(error: unknown): void }
  const waiting: Waiting[] = []
  let runningCount = 0
  let isScheduled = false

  const flush = async (): Promise<void> => {
    if (waiting.length === 0 || runningCount >= concurrentMax) return
    const batch = waiting.splice(0, limits.batchLoaderMaxKeys)
    runningCount += 1
    if (waiting.length > 0 && runningCount < concurrentMax) schedule()
    try {
      const values = await run(batch.map((one) => one.key))
      batch.forEach((one, i) => one.resolve(values[i]!))
    } catch (error) {
      for (const one of batch) one.reject(error)
    } finally {
      runningCount -= 1
      if (waiting.length > 0) schedule()
    }
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // After the sockets of this turn were read, so that their calls travel together.
    setImmediate(() => {
      isScheduled = false
      void flush()
    })
  }
  return (key) =>
    new Promise<V>((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (runningCount >= concurrentMax) return
      if (waiting.length < limits.batchLoaderMaxKeys) schedule()
      else void flush()
    })
}

/** A row found by a statement of many look-ups. */
export interface WithOrdinal {
  /** The place of what was asked for, from 1. */
  ordinal: number
}

/** What the rows say, each at the place of what was asked for. */
export const inKeyOrder = <R extends WithOrdinal, V>(
  rows: readonly R[],
  length: number,
  valueOf: (row: R) => V,
): (V | undefined)[] => {
  const found: (V | undefined)[] = Array.from({ length })
  for (const row of rows) found[row.ordinal - 1] = valueOf(row)
  return found
}
