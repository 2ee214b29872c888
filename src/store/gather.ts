/**
 * Look-ups that wait at the same moment share one statement. While one is on its way the next
 * collects; there is no timer and no cache, so every answer is read after it was asked for.
 */
export const gather = <K, V>(
  run: (keys: readonly K[]) => Promise<readonly V[]>,
  atOnce = 2,
): ((key: K) => Promise<V>) => {
  type Waiting = { key: K; resolve(value: V): void; reject(error: unknown): void }
  let waiting: Waiting[] = []
  let underWay = 0
  let isScheduled = false

  const flush = async (): Promise<void> => {
    isScheduled = false
    if (waiting.length === 0 || underWay >= atOnce) return
    const batch = waiting
    waiting = []
    underWay += 1
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
    setImmediate(() => void flush())
  }
  return (key) =>
    new Promise<V>((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (underWay < atOnce) schedule()
    })
}
