/**
 * Serializes concurrent starts: one process migrates or provisions, the others wait and then find
 * the work done.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Queryable, sql } from './sql.ts'

const maxWaitMs = 300_000
const pauseMs = 50

/**
 * Holds the lock until the transaction ends. Polls for it, because the statement timeout would soon
 * end a statement that waits.
 */
export const acquireStartupLock = async (tx: Queryable, lockKey: number): Promise<void> => {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const row = await tx.row<{ locked: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockKey}) as locked`,
    )
    if (row?.locked === true) return
    if (performance.now() > deadline) throw new Error('another process is still starting')
    await pause(pauseMs)
  }
}
