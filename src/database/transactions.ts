/** Transactions on one connection. */
import { type Connection, sql } from './sql.ts'

/** Runs reads on one snapshot. They are pipelined with the BEGIN, and nothing is kept. */
export const inSnapshot = async <T>(
  tx: Connection,
  work: (tx: Connection) => Promise<T>,
): Promise<T> => {
  const begun = tx.run(sql`begin isolation level repeatable read read only`)
  // Wait for both, so that nothing still runs on this connection when it goes back to the pool.
  const [begin, done] = await Promise.allSettled([begun, work(tx)])
  await tx.run(sql`rollback`).catch(() => tx.destroy())
  if (begin.status === 'rejected') throw begin.reason
  if (done.status === 'rejected') throw done.reason
  return done.value
}

/** Runs `work` in a transaction and commits it, or rolls back on failure or without `commits`. */
export const inTransaction = async <T>(
  tx: Connection,
  work: (tx: Connection) => Promise<T>,
  commits = true,
): Promise<T> => {
  await tx.run(sql`begin`)
  let result: T
  try {
    result = await work(tx)
  } catch (error) {
    await tx.run(sql`rollback`).catch(() => tx.destroy())
    throw error
  }
  if (commits) await tx.commit()
  else await tx.run(sql`rollback`)
  return result
}
