/**
 * Work that falls due by the clocks of organizations: tasks do what is due by now, and a clock
 * advance does what it makes due in some sandboxes.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import type { DueRowsRequest } from '../store/due-rows.ts'
import { openDueWork } from './due-work.ts'
import type { Task } from './runner.ts'

export interface ScheduledWork {
  /** In Unix milliseconds, by the organization's clock. */
  dueAtMs: number
  /** Identifies the work, together with its due time. */
  key: string
  /** False if it has changed nothing. */
  run(context: Context): Promise<boolean | void>
}

/** What ends first comes first. */
type FindDue = (context: Context, request: DueRowsRequest) => Promise<ScheduledWork[]>

/** A task whose work a clock advance also looks for. */
export interface ScheduledTask extends Task {
  findDue(context: Context, organizations: readonly string[]): Promise<ScheduledWork[]>
}

interface Schedule extends Pick<Task, 'name' | 'everyMs'> {
  /** How much of each kind is done in a round. */
  limit: number
  /** One search for each kind of work. */
  searches: readonly FindDue[]
}

export const scheduledTask = ({ name, everyMs, limit, searches }: Schedule): ScheduledTask => {
  const kinds = searches.map((find) => ({ find, dueWork: openDueWork(name) }))
  return {
    name,
    everyMs,
    run: async (context) => {
      const rounds = kinds.map(({ find, dueWork }) =>
        dueWork.perform(context, {
          limit,
          find: (most) => find(context, { limit: most }),
          keyOf: ({ key }) => key,
          run: (work) => work.run(context),
        }),
      )
      return (await Promise.all(rounds)).includes(true)
    },
    findDue: async (context, organizations) => {
      const found = searches.map((find) => find(context, { limit, organizations }))
      return (await Promise.all(found)).flat()
    },
  }
}

/**
 * Runs the work that a clock advance makes due in some sandboxes, in due order and including the
 * work that it causes in turn, until nothing more is due or one request has done enough. Returns
 * whether nothing is left. Work that stays due after it has run does not run again, so this
 * terminates.
 */
export const runInDueOrder = async (
  context: Context,
  organizations: readonly string[],
  tasks: readonly ScheduledTask[],
): Promise<boolean> => {
  const done = new Set<string>()
  const keyOf = ({ dueAtMs, key }: ScheduledWork) => `${dueAtMs} ${key}`
  for (;;) {
    const all = await Promise.all(tasks.map((task) => task.findDue(context, organizations)))
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
