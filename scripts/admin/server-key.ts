/** The command that releases a database from a lost server key. */
import type { Queryable } from '../../src/database/sql.ts'
import { deleteServerKeyCheck } from '../../src/store/deployment.ts'
import { BadInput, type Command, type CommandResult } from './admin-command.ts'

/** The next start then claims the database with its own key. */
const forgetServerKey = async (tx: Queryable): Promise<CommandResult> => {
  if ((await deleteServerKeyCheck(tx)) === 0) throw new BadInput('This database has no server key.')
  return {
    subject: 'server_key',
    lines: [
      'The next start claims the database with its SERVER_KEY. Without the old key, retries of the',
      'last day run again, cursors are invalid, and what it encrypted is lost.',
    ],
  }
}

export const deploymentCommands: Readonly<Record<string, Command>> = {
  'server-key forget': {
    summary: 'let the database be used with another server key',
    run: forgetServerKey,
  },
}
