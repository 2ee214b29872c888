/** Transactions on one connection. */
import { MissingServerKey } from '../core/server-keys.ts'
import { UnwrittenRows } from './row-seals.ts'
import { type Connection, type Queryable, sql } from './sql.ts'

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

/**
 * Nothing is sealed under an older server key than the database names. Every transaction that seals
 * asks for it before, and a rekey waits for those that have asked before it began: afterwards no
 * row under an older key can appear any more (docs/decisions/0062).
 */
export const ensureNewestKeys = async (tx: Queryable): Promise<void> => {
  if (tx.seals.generation === undefined) return
  const row = await tx.row<{ generation: number }>(sql`
    select coalesce(max(generation), 0) as generation
    from server_keys where seals_since is not null`)
  await followGeneration(tx, row!.generation)
}

/** For a caller who has asked for the generation with another statement. */
export const followGeneration = async (tx: Queryable, generation: number): Promise<boolean> => {
  if (generation <= tx.seals.generation!) return false
  await tx.seals.renew(tx)
  if (generation > tx.seals.generation!) throw new MissingServerKey(generation)
  return true
}

/** Runs `work` in a transaction and commits it, or rolls back on failure. */
export const inTransaction = async <T>(
  tx: Connection,
  work: (tx: Connection) => Promise<T>,
): Promise<T> => {
  const result = await afterBegin(tx, work)
  await tx.commit()
  return result
}

/** The same for what must have no effect, such as a dry run. */
export const inRolledBackTransaction = async <T>(
  tx: Connection,
  work: (tx: Connection) => Promise<T>,
): Promise<T> => {
  const result = await afterBegin(tx, work)
  await tx.run(sql`rollback`)
  return result
}

const afterBegin = async <T>(tx: Connection, work: (tx: Connection) => Promise<T>): Promise<T> => {
  const begun = tx.run(sql`begin`)
  try {
    await Promise.all([begun, ensureNewestKeys(tx)])
    return await work(tx)
  } catch (error) {
    // PostgreSQL keeps the plan of a rule that does nothing as long as the session.
    if (error instanceof UnwrittenRows) tx.destroy()
    else await tx.run(sql`rollback`).catch(() => tx.destroy())
    throw error
  }
}
