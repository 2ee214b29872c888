/**
 * Tells a long recovery from one that stands still. PostgreSQL answers both alike. If a background
 * process dies during crash recovery, PostgreSQL 18 may wait for ever for a lock of the dead one:
 * its processes are there, and none of them runs.
 */
import type { Readiness } from './bootstrap.ts'
import { resumeStopped, serverProcesses, type ServerProcess } from './server-processes.ts'

/** Longer than any read or write, and no process of a server that waits for the disk is asleep. */
const stallMs = 3_000
const lookEveryMs = 250

/**
 * Those that recover, or write the checkpoint that ends it. The others do not count: each
 * connection makes work for the postmaster, and the background writer wakes up by the clock.
 */
const recovering = /^postgres: (startup|checkpointer|io worker)/

export interface Progress {
  /** Looks at the processes and resumes stopped ones; true once they have done nothing too long. */
  hasStalled(answer: Readiness): Promise<boolean>
}

export function watchProgress(postmaster: number): Progress {
  let lastLookAt = -Infinity
  let lastWorkAt = performance.now()
  let lastWork = ''
  return {
    async hasStalled(answer) {
      const now = performance.now()
      if (now - lastLookAt < lookEveryMs) return false
      const processes = await serverProcesses(postmaster)
      // After a longer pause it was us who did not run; and of what we cannot see, we cannot judge.
      const isUnknown = now - lastLookAt > stallMs || processes.length === 0
      if (answer === 'yes' || isUnknown) lastWorkAt = now
      lastLookAt = now
      resumeStopped(processes)
      // Before it answers at all, the postmaster itself is at work.
      const workers = processes.filter(
        ({ pid, title }) => recovering.test(title) || (answer === 'no' && pid === postmaster),
      )
      const work = workers.map(({ pid, work }) => `${pid} ${work}`).join('\n')
      if (work !== lastWork || workers.some(isWorking)) lastWorkAt = now
      lastWork = work
      return now - lastWorkAt > stallMs
    },
  }
}

const isWorking = ({ state }: ServerProcess): boolean => state === 'R' || state === 'D'
