/**
 * Runs the work that a clock advance makes due in some sandboxes, in due order and including the
 * work that it causes in turn, until nothing more is due or one request has done enough.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'

export interface ScheduledWork {
  /** In Unix milliseconds, by the organization's clock. */
  dueAtMs: number
  /** Identifies the work, together with its due time. */
  key: string
  run(context: Context): Promise<void>
}

export type FindScheduledWork = (
  context: Context,
  organizations: readonly string[],
) => Promise<ScheduledWork[]>

/**
 * Returns whether nothing is left. Work that stays due after it has run does not run again, so this
 * terminates.
 */
export const runInDueOrder = async (
  context: Context,
  organizations: readonly string[],
  sources: readonly FindScheduledWork[],
): Promise<boolean> => {
  const done = new Set<string>()
  const keyOf = ({ dueAtMs, key }: ScheduledWork) => `${dueAtMs} ${key}`
  for (;;) {
    const all = await Promise.all(sources.map((find) => find(context, organizations)))
    const due = all.flat().filter((work) => !done.has(keyOf(work)))
    const earliestMs = Math.min(...due.map(({ dueAtMs }) => dueAtMs))
    if (due.length === 0) return true
    // Later work waits, because this work may cause other work that is due before it.
    for (const work of due.filter(({ dueAtMs }) => dueAtMs === earliestMs)) {
      if (done.size >= limits.clockAdvanceWorkMax) return false
      done.add(keyOf(work))
      await work.run(context)
    }
  }
}
