/**
 * Starts that happen at once take turns: one migrates or provisions, the others wait for it and
 * find the work done.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Session, sql } from './sql.ts'

const patienceMs = 300_000
const pauseMs = 50

/**
 * Holds the lock to the end of the transaction. Asked for again and again, since every statement
 * that waits in the database is given up soon.
 */
export const takeTurn = async (tx: Session, lockNumber: number): Promise<void> => {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const [turn] = await tx.rows<{ taken: boolean }>(
      sql`select pg_try_advisory_xact_lock(${lockNumber}) as taken`,
    )
    if (turn?.taken === true) return
    if (performance.now() > deadline) throw new Error('another process is still starting')
    await pause(pauseMs)
  }
}
