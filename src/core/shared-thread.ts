/** Long computations on the thread that serves all requests. */

/** How long a computation goes on before others have their turn. */
const turnMs = 10

/** Returns what a long loop awaits in every step, so that others have their turns. */
export const inTurns = (): (() => Promise<void> | undefined) => {
  let endsAt = performance.now() + turnMs
  const others = async (): Promise<void> => {
    await new Promise(setImmediate)
    endsAt = performance.now() + turnMs
  }
  return () => (performance.now() < endsAt ? undefined : others())
}
