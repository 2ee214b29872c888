/**
 * Ends a PostgreSQL that is proven ours, in three steps: fast (rolls back and writes a checkpoint),
 * immediate (leaves the rest to recovery), kill. Each loses no commit; only the next start takes
 * longer. Without the later steps, one stopped process would keep us waiting for ever.
 */
import { setTimeout as pause } from 'node:timers/promises'

import { resumeStopped, serverProcesses, signalProcesses } from './server-processes.ts'

/** How long a step may take before the next one; 0 leaves it out. */
export interface Patience {
  fastMs: number
  immediateMs: number
}

/** For a server that works: a checkpoint of all shared buffers takes seconds on a slow disk. */
export const patient: Patience = { fastMs: 8_000, immediateMs: 2_000 }
/** For a server that does not react: it would not write its checkpoint either. */
export const impatient: Patience = { fastMs: 0, immediateMs: 1_000 }

/** A process in a system call ends only after it; the kernel has then freed its memory. */
const killMs = 5_000
const pollMs = 10

export async function shutDown(
  postmaster: number,
  hasEnded: () => boolean,
  { fastMs, immediateMs }: Patience,
): Promise<void> {
  const steps = [
    { signal: 'SIGINT', waitMs: fastMs },
    { signal: 'SIGQUIT', waitMs: immediateMs },
    { signal: 'SIGKILL', waitMs: killMs },
  ] as const
  for (const { signal, waitMs } of steps) {
    if (hasEnded()) return
    if (waitMs === 0) continue
    const processes = await serverProcesses(postmaster)
    const pids = processes.map(({ pid }) => pid)
    signalProcesses(signal === 'SIGKILL' ? pids : pids.slice(0, 1), signal)
    resumeStopped(processes)
    await untilEnded(hasEnded, waitMs)
  }
  if (hasEnded()) return
  throw new Error(
    `PostgreSQL, process ${postmaster}, does not end even after SIGKILL: the disk or file system ` +
      'of DATA_DIR does not respond.',
  )
}

async function untilEnded(hasEnded: () => boolean, waitMs: number): Promise<void> {
  const deadline = performance.now() + waitMs
  while (!hasEnded() && performance.now() < deadline) await pause(pollMs)
}
