/**
 * Starts that happen at once take turns: one migrates or provisions, the others wait for it and
 * find the work done.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Queryable, sql } from './sql.ts'

const maxWaitMs = 300_000
const pauseMs = 50

/**
 * Holds the lock to the end of the transaction. Asked for again and again, since every statement
 * that waits in the database is given up soon.
 */
export const acquireStartupLock = async (tx: Queryable, lockKey: number): Promise<void> => {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const [row] = await tx.rows<{ taken: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockKey}) as taken`,
    )
    if (row?.taken === true) return
    if (performance.now() > deadline) throw new Error('another process is still starting')
    await pause(pauseMs)
  }
}
