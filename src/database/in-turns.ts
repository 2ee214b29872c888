/** Long computations on the thread that serves all requests. */

/** How long a computation goes on before others have their turn. */
const turnMs = 10

/** Performs a computation that yields between its steps, so that others have their turns. */
export const inTurns = async <T>(steps: Generator<void, T>): Promise<T> => {
  let endsAt = performance.now() + turnMs
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() < endsAt) continue
    await new Promise(setImmediate)
    endsAt = performance.now() + turnMs
  }
}
