/** Performs all steps of a computation at once, and returns its result. */
export const allSteps = <T>(steps: Generator<void, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
