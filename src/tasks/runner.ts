/**
 * Runs tasks on a timer. A task takes no input, finds due work, does a bounded part of it and
 * reports whether there is more. It may run concurrently in several processes.
 */
import type { Context } from '../context.ts'

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
  while (!stopped.aborted) {
    try {
      while (mayRun() && (await task.run(context)));
    } catch (error) {
      context.log.error({ error, task: task.name }, 'task_failed')
    }
    await pause(task.everyMs, stopped)
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
