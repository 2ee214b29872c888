/**
 * Runs tasks on a timer. A task takes no input, finds due work, does a bounded part of it and
 * reports whether there is more. It may run concurrently in several processes. One that fails, as
 * all do while the database is away, is run again soon, and less and less often until it succeeds.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { backoffMs } from '../core/backoff.ts'
import { randomFraction } from '../database/new-ids.ts'

export interface Task {
  name: string
  everyMs: number
  /** Other tasks decide nothing by what an older database says. */
  runsWhenRolledBack?: true
  /** Returns true if there may be more work, to run again at once. */
  run(context: Context): Promise<boolean>
}

export interface Runner {
  /** Resolves after the current rounds have ended. */
  stop(): Promise<void>
}

export const runTasks = (context: Context, tasks: readonly Task[]): Runner => {
  const stopped = new AbortController()
  const loops = tasks.map((task) => loop(context, task, stopped.signal))
  return {
    stop: async () => {
      stopped.abort()
      await Promise.all(loops)
    },
  }
}

const loop = async (context: Context, task: Task, stopped: AbortSignal): Promise<void> => {
  const mayRun = () =>
    !stopped.aborted && (task.runsWhenRolledBack === true || !context.isRolledBack())
  const { name, everyMs } = task
  const backoff = {
    firstMs: Math.min(everyMs, limits.taskRetryMaxMs),
    maxMs: Math.max(everyMs, limits.taskRetryMaxMs),
  }
  let failures = 0
  while (!stopped.aborted) {
    try {
      while (mayRun() && (await task.run(context)));
      failures = 0
      await pause(everyMs, stopped)
    } catch (error) {
      failures += 1
      const retry_ms = backoffMs(backoff, failures, randomFraction())
      context.log.error({ error, task: name, retry_ms }, 'task_failed')
      await pause(retry_ms, stopped)
    }
  }
}

const pause = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stopped.aborted) return resolve()
    const timer = setTimeout(done, ms)
    timer.unref()
    stopped.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      stopped.removeEventListener('abort', done)
      resolve()
    }
  })
