/**
 * Follows the generations of the server key (docs/decisions/0062), in every process, also an API.
 * A process that lacks a key which a rekey announces objects to it, and the rekey stops there.
 */
import { objectToServerKey, serverKeyTimes } from '../store/server-keys.ts'
import type { Task } from './runner.ts'

export const followServerKeys: Task = {
  name: 'follow-server-keys',
  everyMs: serverKeyTimes.followedEveryMs,
  run: async ({ database, keyring, log }) => {
    const db = database.background
    const isNew = await keyring.renew(db)
    const { lacking, seals } = keyring
    // A request may have heard of the announcement before.
    for (const row of lacking) {
      if (row.seals_since === null && row.missing_at === null) await objectToServerKey(db, row)
    }
    if (!isNew) return false
    if (lacking.length === 0) log.info({ generation: seals.generation }, 'server_key_followed')
    else {
      log.error({ generations: lacking.map(({ generation }) => generation) }, 'server_key_missing')
    }
    return false
  },
}
