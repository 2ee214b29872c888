/**
 * Long computations on the thread that serves all requests. However many there are, they have one
 * turn together before others have theirs, and go on in the order in which they had to wait.
 */

/** How long computations go on before others have their turn. */
const turnMs = 10

/** When the turn ends; undefined until one begins. */
let endsAt: number | undefined
const waiting: (() => void)[] = []

/** Performs a computation that yields between its steps, so that others have their turns. */
export const inTurns = async <T>(steps: Generator<void, T>): Promise<T> => {
  for (;;) {
    if (!isTurn()) await new Promise<void>((resolve) => void waiting.push(resolve))
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

const isTurn = (): boolean => {
  endsAt ??= beginTurn()
  return performance.now() < endsAt
}

const beginTurn = (): number => {
  setImmediate(endTurn)
  return performance.now() + turnMs
}

/** Others have had theirs: whoever has waited longest goes on. */
const endTurn = (): void => {
  endsAt = waiting.length > 0 ? beginTurn() : undefined
  waiting.shift()?.()
}
