/**
 * Look-ups that wait at the same moment share one statement. While one is on its way the next
 * collects; there is no timer and no cache, so every answer is read after it was asked for. A
 * statement takes so few that this process and the database work at the same time: were all that
 * wait in one, each would wait for the other.
 */
import { limits } from '../contract/limits.ts'

export const gather = <K, V>(
  run: (keys: readonly K[]) => Promise<readonly V[]>,
  atOnce = 2,
): ((key: K) => Promise<V>) => {
  type Waiting = { key: K; resolve(value: V): void; reject(error: unknown): void }
  const waiting: Waiting[] = []
  let underWay = 0
  let isScheduled = false

  const flush = async (): Promise<void> => {
    if (waiting.length === 0 || underWay >= atOnce) return
    const batch = waiting.splice(0, limits.lookUpsInOneStatement)
    underWay += 1
    if (waiting.length > 0 && underWay < atOnce) schedule()
    try {
      const values = await run(batch.map((one) => one.key))
      batch.forEach((one, i) => one.resolve(values[i]!))
    } catch (error) {
      for (const one of batch) one.reject(error)
    } finally {
      underWay -= 1
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
      if (underWay >= atOnce) return
      if (waiting.length < limits.lookUpsInOneStatement) schedule()
      else void flush()
    })
}

/** A row found by a statement of many look-ups. */
export interface Asked {
  /** The place of what was asked for, from 1. */
  asked: number
}

/** What the rows say, each at the place of what was asked for. */
export const inPlace = <R extends Asked, V>(
  rows: readonly R[],
  length: number,
  said: (row: R) => V,
): (V | undefined)[] => {
  const found: (V | undefined)[] = Array.from({ length })
  for (const row of rows) found[row.asked - 1] = said(row)
  return found
}
