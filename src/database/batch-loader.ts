/**
 * Combines concurrent look-ups into one statement. While one batch runs, the next collects, in a
 * bounded queue; there is no timer and no cache, so every value is read after it was requested.
 * Batches stay small so that this process and the database work in parallel: with one large batch,
 * each would wait for the other. A key that several callers look up, as those of one credential do,
 * is in the statement once. A look-up whose caller has hung up is dropped while it waits.
 */
import { limits } from '../contract/limits.ts'
import { RequestAbandoned, tooManyWaiting } from './fair-queue.ts'

type Key = string | number | Buffer

/** Whether nobody waits for the value any more. */
export type IsAbandoned = () => boolean

export const batchLoader = <K extends Key, V>(
  run: (keys: readonly K[]) => Promise<readonly V[]>,
  concurrentMax = 2,
): ((key: K, isAbandoned?: IsAbandoned) => Promise<V>) => {
  type Lookup = {
    key: K
    isAbandoned: IsAbandoned | undefined
    resolve(value: V): void
    reject(error: unknown): void
  }
  const waiting: Lookup[] = []
  let runningCount = 0
  let isScheduled = false

  /** The next look-ups that somebody waits for. */
  const nextBatch = (): Lookup[] => {
    const batch: Lookup[] = []
    while (batch.length < limits.batchLoaderMaxKeys && waiting.length > 0) {
      const taken = waiting.splice(0, limits.batchLoaderMaxKeys - batch.length)
      for (const lookup of taken) {
        if (lookup.isAbandoned?.() !== true) batch.push(lookup)
        else lookup.reject(new RequestAbandoned('the caller hung up'))
      }
    }
    return batch
  }
  const flush = async (): Promise<void> => {
    if (waiting.length === 0 || runningCount >= concurrentMax) return
    const batch = nextBatch()
    if (batch.length === 0) return
    runningCount += 1
    if (waiting.length > 0 && runningCount < concurrentMax) schedule()
    try {
      const { distinct, places } = distinctKeys(batch.map((lookup) => lookup.key))
      const values = await run(distinct)
      batch.forEach((lookup, i) => lookup.resolve(values[places[i]!]!))
    } catch (error) {
      for (const lookup of batch) lookup.reject(error)
    } finally {
      runningCount -= 1
      if (waiting.length > 0) schedule()
    }
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // After this turn's sockets have been read, so that their look-ups share a batch.
    setImmediate(() => {
      isScheduled = false
      void flush()
    })
  }
  return (key, isAbandoned) =>
    new Promise<V>((resolve, reject) => {
      if (waiting.length >= limits.batchLoaderMaxWaiting) return reject(tooManyWaiting())
      waiting.push({ key, isAbandoned, resolve, reject })
      if (runningCount >= concurrentMax) return
      if (waiting.length < limits.batchLoaderMaxKeys) schedule()
      else void flush()
    })
}

/** Each key once, and for every given key its place among them. */
const distinctKeys = <K extends Key>(keys: readonly K[]) => {
  const distinct: K[] = []
  // Not a map: V8 interns every string that is looked up in one, and a batch is small.
  const texts: string[] = []
  const places = keys.map((key) => {
    const text = Buffer.isBuffer(key) ? key.toString('latin1') : String(key)
    const known = texts.indexOf(text)
    if (known >= 0) return known
    texts.push(text)
    return distinct.push(key) - 1
  })
  return { distinct, places }
}

/** A row of a batched look-up. */
export interface WithOrdinal {
  /** The index of the row's key, from 1. */
  ordinal: number
}

/** One value per key, in the order of the keys; undefined where a key has no row. */
export const inKeyOrder = <R extends WithOrdinal, V>(
  rows: readonly R[],
  length: number,
  valueOf: (row: R) => V,
): (V | undefined)[] => {
  const values: (V | undefined)[] = Array.from({ length })
  for (const row of rows) values[row.ordinal - 1] = valueOf(row)
  return values
}
