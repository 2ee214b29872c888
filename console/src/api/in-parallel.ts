/** Works through rows, a few at once: the service answers an organization's writes one by one. */
const atOnce = 4

export const inParallel = async <Row>(
  rows: readonly Row[],
  work: (row: Row) => Promise<void>,
): Promise<void> => {
  const waiting = [...rows]
  const worker = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await work(row)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
