/** What operators do to a deployment as a whole. */
import type { Session } from '../../src/database/sql.ts'
import { deleteServerKeyMark } from '../../src/store/deployment.ts'
import { BadInput, type Command, type Done } from './command.ts'

/** For a key that is lost: the next start leaves the mark of its own. */
const forgetServerKey = async (tx: Session): Promise<Done> => {
  if ((await deleteServerKeyMark(tx)) === 0) throw new BadInput('No server key is known here.')
  return {
    subject: 'server_key',
    says: [
      'The next start takes the SERVER_KEY that it has. What rested on the old one is lost: retries',
      'of the last day run afresh, cursors end, what it sealed cannot be opened any more.',
    ],
  }
}

export const deploymentCommands: Readonly<Record<string, Command>> = {
  'server-key forget': { usage: '', run: forgetServerKey },
}
