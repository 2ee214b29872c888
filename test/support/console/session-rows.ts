/** Changes the sessions of a running console's users in its database, as time would. */
import type { Rows } from '../../../src/database/rows.ts'
import { openRowSeals } from '../../../src/database/row-seals.ts'
import { changeSealedRows } from '../../../src/database/sealed-rows.ts'
import { type SqlQuery, sql } from '../../../src/database/sql.ts'
import { inTransaction } from '../../../src/database/transactions.ts'
import { openKeyring } from '../../../src/startup/keyring.ts'
import { openTestConnection } from '../database/test-connection.ts'
import type { RunningConsole } from './running-console.ts'

type Sessions = Rows['sessions']

const changeSessions = async (
  { dataDir, practice }: Pick<RunningConsole, 'dataDir' | 'practice'>,
  which: SqlQuery,
  change: (session: Sessions) => Partial<Sessions>,
): Promise<void> => {
  const keyring = await openKeyring({ serverKey: undefined, dataDir })
  const seals = openRowSeals(keyring.seals)
  const database = await openTestConnection(practice.database_url, 'a test', { seals })
  // The service writes them as well.
  await inTransaction(database, (tx) => changeSealedRows(tx, 'sessions', which, change))
  await database.close()
}

/** As if everybody had signed in long ago. */
export const ageSignIns = (
  running: Pick<RunningConsole, 'dataDir' | 'practice'>,
): Promise<void> => {
  const authenticated_at = new Date(Date.now() - 3_600_000).toISOString()
  return changeSessions(running, sql`true`, () => ({ authenticated_at }))
}

/** As if the short tokens of all browsers had run out; their cookies stay good. */
export const expireBrowserTokens = (
  running: Pick<RunningConsole, 'dataDir' | 'practice'>,
): Promise<void> =>
  changeSessions(running, sql`sign_in_id is not null`, ({ created_at }) => ({
    expires_at: new Date(Math.max(Date.parse(created_at) + 1, Date.now() - 60_000)).toISOString(),
  }))

/** Meanwhile, the service cannot end the newest session of a program, and answers 503 for it. */
export const whileNewestIsLocked = async (
  { practice }: Pick<RunningConsole, 'practice'>,
  work: () => Promise<void>,
): Promise<void> => {
  const database = await openTestConnection(practice.database_url, 'a test')
  await inTransaction(database, async (tx) => {
    await tx.rows(
      sql`select 1 from sessions where client = 'cli' order by created_at desc limit 1 for update`,
    )
    await work()
  })
  await database.close()
}
