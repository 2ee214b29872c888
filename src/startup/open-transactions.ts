/** What an operator is told of a transaction of somebody that holds a start or a command up. */
import { isStillLocked } from '../database/outages.ts'
import { migrate } from '../database/migrate.ts'
import { Connection } from '../database/sql.ts'
import { type RunningTransaction, oldestLockHolder } from '../store/server-keys.ts'

/** Names are escaped: they come from others, and that of a prepared transaction may be any text. */
export const transactionText = ({ pid, name, state, since }: RunningTransaction): string => {
  const begun = since === null ? '' : `, begun ${since}`
  if (pid === null) return `prepared transaction ${JSON.stringify(name)}${begun}`
  return `transaction of ${JSON.stringify(name)} (pid ${pid}, ${state ?? 'unknown'}${begun})`
}

export const remedyFor = (first: RunningTransaction | undefined): string => {
  if (first === undefined) return 'Look for it in pg_stat_activity'
  if (first.pid === null) return 'Commit it or roll it back (pg_prepared_xacts)'
  return `Let it end, or end it with: select pg_terminate_backend(${first.pid});`
}

/** Migrates. Where a lock stands in the way for too long, it says who holds one. */
export const migrateOrNameHolder = async (url: string): Promise<string[]> => {
  try {
    return await migrate(url)
  } catch (error) {
    if (!isStillLocked(error)) throw error
    throw new Error(await lockedText(url), { cause: error })
  }
}

/** Not the transaction of this process: its connection has ended. */
export const lockedText = async (url: string): Promise<string> => {
  const connection = await Connection.open(url, 'docex start')
  try {
    const holder = await oldestLockHolder(connection)
    const who = holder === undefined ? 'another transaction' : `the ${transactionText(holder)}`
    const remedy = `${remedyFor(holder)}, and start again.`
    return `the migration waits for a lock, which ${who} may hold. ${remedy}`
  } finally {
    await connection.close()
  }
}
