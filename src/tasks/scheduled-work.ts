/**
 * Work that falls due by the clocks of organizations: tasks do what is due by now, and a clock
 * advance does what it makes due in some sandboxes.
 */
import type { Context, SandboxProgress } from '../context.ts'
import { Refusal } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { DueInSandboxes, DueRowsRequest } from '../store/due-rows.ts'
import { BrokenSeal } from '../database/row-seals.ts'
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

/** In the order in which the work fell due. */
type FindDue = (context: Context, request: DueRowsRequest) => Promise<ScheduledWork[]>

/** A task whose work a clock advance also looks for. */
export interface ScheduledTask extends Task {
  findDue(context: Context, of: DueInSandboxes): Promise<ScheduledWork[]>
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
    findDue: async (context, of) => {
      const found = searches.map((find) => find(context, { limit, ...of }))
      return (await Promise.all(found)).flat()
    },
  }
}

const findAll = async (
  context: Context,
  tasks: readonly ScheduledTask[],
  of: DueInSandboxes,
): Promise<ScheduledWork[]> =>
  (await Promise.all(tasks.map((task) => task.findDue(context, of)))).flat()

const keyOf = ({ dueAtMs, key }: ScheduledWork): string => `${dueAtMs} ${key}`

/**
 * Runs the work that a clock advance makes due in some sandboxes, in due order and including the
 * work that it causes in turn, until nothing more is due or one request has done enough. Returns
 * whether nothing is left. Work that stays due after it has run does not run again, so this
 * terminates. Work that cannot be believed holds up no other.
 */
export const runInDueOrder = async (
  context: Context,
  tasks: readonly ScheduledTask[],
  organizations: readonly string[],
  progress: SandboxProgress,
): Promise<boolean> => {
  const { done } = progress
  for (;;) {
    const all = await findAll(context, tasks, { organizations, withinSeconds: 0 })
    const due = all.filter((work) => !done.has(keyOf(work)))
    const earliestMs = Math.min(...due.map(({ dueAtMs }) => dueAtMs))
    if (due.length === 0) return true
    // Later work waits, because this work may cause other work that is due before it.
    for (const work of due.filter(({ dueAtMs }) => dueAtMs === earliestMs)) {
      if (done.size >= limits.clockAdvanceWorkMax) return false
      done.add(keyOf(work))
      await work.run(context).catch((error: unknown) => {
        if (!isUnbelievable(error)) throw error
        progress.failure ??= error
      })
    }
  }
}

const isUnbelievable = (error: unknown): boolean =>
  error instanceof BrokenSeal || (error instanceof Refusal && error.code === 'integrity_failure')

/** When the first work falls due that was not run; undefined if none does within these seconds. */
export const nextDueMs = async (
  context: Context,
  tasks: readonly ScheduledTask[],
  of: DueInSandboxes,
  { done }: SandboxProgress,
): Promise<number | undefined> => {
  const left = (await findAll(context, tasks, of)).filter((work) => !done.has(keyOf(work)))
  return left.length === 0 ? undefined : Math.min(...left.map(({ dueAtMs }) => dueAtMs))
}
