/** Transactions on the one connection of a test, which fixtures may ask for at once. */
import type { Connection } from '../../../src/database/sql.ts'
import { inTransaction } from '../../../src/database/transactions.ts'

const last = new WeakMap<Connection, Promise<unknown>>()

/** Runs the work in a transaction, once those that began before have ended. */
export const inTurn = <T>(
  database: Connection,
  work: (tx: Connection) => Promise<T>,
): Promise<T> => {
  const before = last.get(database) ?? Promise.resolve()
  const run = () => inTransaction(database, work)
  const own = before.then(run, run)
  last.set(database, own)
  return own
}
