/**
 * A connection of the test itself. It has the patience that a busy machine needs: its statements
 * have no time limit of the service, only one that ends a test which is stuck.
 */
import { Connection, DatabaseUnavailable } from '../../../src/database/sql.ts'
import { stuckAfterMs, until } from '../until.ts'

const options = [
  'statement_timeout=0',
  `lock_timeout=${stuckAfterMs}`,
  'idle_in_transaction_session_timeout=0',
]
  .map((option) => ` -c ${option}`)
  .join('')

export const openTestConnection = async (
  url: string,
  name = 'docex test',
  more: { seals?: Connection['seals'] } = {},
): Promise<Connection> => {
  let connection: Connection | undefined
  await until('PostgreSQL accepts a connection', async () => {
    const opening = Connection.open(url, name, { ...more, options, queryTimeoutMs: stuckAfterMs })
    connection = await opening.catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error
      return undefined
    })
    return connection !== undefined
  })
  return connection!
}
