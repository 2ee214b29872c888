/**
 * Follows the generations of the server key (docs/decisions/0062), in every process, also an API.
 * A process that lacks a key which a rekey announces objects to it, and the rekey stops there.
 */
import { objectToServerKey, serverKeyTimes, serverKeys } from '../store/server-keys.ts'
import type { Task } from './runner.ts'

export const followServerKeys: Task = {
  name: 'follow-server-keys',
  everyMs: serverKeyTimes.followedEveryMs,
  run: async (context) => {
    const { database, keyring, log } = context
    const db = database.background
    if (!(await keyring.renew(db))) return false
    const { seals } = keyring
    const lacks = (await serverKeys(db)).filter(
      ({ generation, archive }) => archive === null && seals.of(generation) === undefined,
    )
    if (lacks.length === 0) log.info({ generation: seals.generation }, 'server_key_followed')
    else {
      log.error({ generations: lacks.map(({ generation }) => generation) }, 'server_key_missing')
      if (lacks.some(({ seals_since }) => seals_since === null)) await objectToServerKey(db)
    }
    return false
  },
}
