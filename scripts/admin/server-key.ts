/** What operators do to a deployment as a whole. */
import type { Queryable } from '../../src/database/sql.ts'
import { deleteServerKeyCheck } from '../../src/store/deployment.ts'
import { BadInput, type Command, type CommandResult } from './admin-command.ts'

/** For a key that is lost: the next start leaves the mark of its own. */
const forgetServerKey = async (tx: Queryable): Promise<CommandResult> => {
  if ((await deleteServerKeyCheck(tx)) === 0) throw new BadInput('No server key is known here.')
  return {
    subject: 'server_key',
    lines: [
      'The next start takes the SERVER_KEY that it has. What rested on the old one is lost: retries',
      'of the last day run afresh, cursors end, what it sealed cannot be opened any more.',
    ],
  }
}

export const deploymentCommands: Readonly<Record<string, Command>> = {
  'server-key forget': { usage: '', run: forgetServerKey },
}
