/**
 * What is due of some sandboxes after their clock has jumped, in the order in which it fell due,
 * with what it brings about; until nothing is due by the new time.
 */
import type { Context } from '../context.ts'

export interface ScheduledWork {
  /** In Unix milliseconds, by the organization's clock. */
  dueAtMs: number
  /** Says what it is, apart from when. */
  key: string
  run(context: Context): Promise<void>
}

export type FindScheduledWork = (
  context: Context,
  organizations: readonly string[],
) => Promise<ScheduledWork[]>

/** What stays due although it was done is not done twice: the end is sure. */
export const runInDueOrder = async (
  context: Context,
  organizations: readonly string[],
  sources: readonly FindScheduledWork[],
): Promise<void> => {
  const done = new Set<string>()
  const keyOf = ({ dueAtMs, key }: ScheduledWork) => `${dueAtMs} ${key}`
  for (;;) {
    const found = await Promise.all(sources.map((find) => find(context, organizations)))
    const due = found.flat().filter((one) => !done.has(keyOf(one)))
    const earliestMs = Math.min(...due.map(({ dueAtMs }) => dueAtMs))
    if (due.length === 0) return
    // What is due later waits: something that this brings about may be due before it.
    for (const one of due.filter(({ dueAtMs }) => dueAtMs === earliestMs)) {
      done.add(keyOf(one))
      await one.run(context)
    }
  }
}
