/**
 * Work that falls due by the clocks of organizations: tasks do what is due by now, and a clock
 * advance does what it makes due in some sandboxes.
 */
import type { Context, NextSandboxWork, SandboxProgress } from '../context.ts'
import { isRefusal } from '../contract/errors.ts'
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
  /** Finds as much as usual beside what was `tried`, which may be due still. */
  findDue(context: Context, of: DueInSandboxes, tried: number): Promise<ScheduledWork[]>
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
    findDue: async (context, of, tried) => {
      const found = searches.map((find) => find(context, { limit: limit + tried, ...of }))
      return (await Promise.all(found)).flat()
    },
  }
}

const keyOf = ({ dueAtMs, key }: ScheduledWork): string => `${dueAtMs} ${key}`

/**
 * The work that falls due first in some sandboxes whose clock advances. It may cause other work
 * that is due before what is known by now, so whoever has run it asks again. Work that stays due
 * after it has run does not run again, so an advance terminates. Work that cannot be believed holds
 * up no other.
 */
export const nextWork = async (
  context: Context,
  tasks: readonly ScheduledTask[],
  of: DueInSandboxes,
  progress: SandboxProgress,
): Promise<NextSandboxWork | undefined> => {
  const { done } = progress
  const found = await Promise.all(tasks.map((task) => task.findDue(context, of, done.size)))
  const left = found.flat().filter((work) => !done.has(keyOf(work)))
  if (left.length === 0) return undefined
  const dueAtMs = Math.min(...left.map((work) => work.dueAtMs))
  const works = left.filter((work) => work.dueAtMs === dueAtMs)
  return { dueAtMs, run: () => runWorks(context, works, progress) }
}

const runWorks = async (
  context: Context,
  works: readonly ScheduledWork[],
  progress: SandboxProgress,
): Promise<boolean> => {
  const { done } = progress
  for (const work of works) {
    if (done.size >= limits.clockAdvanceWorkMax) return false
    done.add(keyOf(work))
    await work.run(context).catch((error: unknown) => {
      if (!isUnbelievable(error)) throw error
      progress.failure ??= error
    })
  }
  return true
}

const isUnbelievable = (error: unknown): boolean =>
  error instanceof BrokenSeal || isRefusal(error, 'integrity_failure')
