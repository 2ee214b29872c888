/** The command that releases a database from a lost server key. */
import type { Queryable } from '../../src/database/sql.ts'
import { textlessTables } from '../../src/database/row-seals.ts'
import { sealRows } from '../../src/database/sealed-rows.ts'
import { deleteServerKeys, serviceConnections } from '../../src/store/server-keys.ts'
import { sealEvents } from '../../src/store/documents/stored-texts.ts'
import { BadInput, type Command, type CommandResult } from './admin-command.ts'

/**
 * The next start then claims the database with its own key. Nobody can prove the rows any more, so
 * they are sealed as they are, on the operator's responsibility.
 */
const forgetServerKey = async (tx: Queryable): Promise<CommandResult> => {
  const [connected] = await serviceConnections(tx)
  if (connected !== undefined) {
    throw new BadInput(
      `The service is running: stop all its processes first. Connection ${connected.name} is of PostgreSQL's process ${connected.pid}.`,
    )
  }
  if ((await deleteServerKeys(tx)) === 0) throw new BadInput('This database has no server key.')
  let rows = 0
  for (const table of textlessTables) rows += await sealRows(tx, table)
  rows += await sealEvents(tx)
  return {
    subject: 'server_key',
    detail: { rows },
    lines: [
      `Sealed ${rows} rows as they are: nobody has proven them. Compare them with a backup you trust.`,
      'The next start claims the database with its SERVER_KEY. Without the old key, histories fail',
      'their checks (integrity_failure), retries of the last day run again, cursors are invalid, and',
      'what it encrypted is lost. To go on with the data, start with the old key.',
    ],
  }
}

export const deploymentCommands: Readonly<Record<string, Command>> = {
  'server-key forget': {
    summary: 'let the database be used with another server key',
    acceptsAnyServerKey: true,
    run: forgetServerKey,
  },
}
