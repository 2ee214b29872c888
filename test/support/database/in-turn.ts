/** Transactions on the one connection of a test, which fixtures may ask for at once. */
import type { Connection } from '../../../src/database/sql.ts'
import { inTransaction } from '../../../src/database/transactions.ts'

const last = new WeakMap<Connection, Promise<unknown>>()

/**
 * Runs the work in a transaction, once those that began before have ended. It is `async` for the
 * runner of the tests: whoever awaits a promise that follows another test's goes on as part of that
 * test, and what it registers with `after` never runs.
 */
export const inTurn = async <T>(
  database: Connection,
  work: (tx: Connection) => Promise<T>,
): Promise<T> => {
  const before = last.get(database) ?? Promise.resolve()
  const run = () => inTransaction(database, work)
  const own = before.then(run, run)
  last.set(database, own)
  return own
}
