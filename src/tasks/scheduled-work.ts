/**
 * What is due of some sandboxes after their clock has jumped, in the order in which it fell due,
 * with what it brings about; until nothing is due by the new time.
 */
import type { Context } from '../context.ts'

export interface Due {
  /** In Unix milliseconds, by the organization's clock. */
  at: number
  /** Says what it is, apart from when. */
  name: string
  run(context: Context): Promise<void>
}

export type FindDue = (context: Context, organizations: readonly string[]) => Promise<Due[]>

/** What stays due although it was done is not done twice: the end is sure. */
export const runInOrder = async (
  context: Context,
  organizations: readonly string[],
  kinds: readonly FindDue[],
): Promise<void> => {
  const done = new Set<string>()
  const placeOf = ({ at, name }: Due) => `${at} ${name}`
  for (;;) {
    const found = await Promise.all(kinds.map((find) => find(context, organizations)))
    const due = found.flat().filter((one) => !done.has(placeOf(one)))
    const first = Math.min(...due.map(({ at }) => at))
    if (due.length === 0) return
    // What is due later waits: something that this brings about may be due before it.
    for (const one of due.filter(({ at }) => at === first)) {
      done.add(placeOf(one))
      await one.run(context)
    }
  }
}
