/**
 * One folder of log keys per database. A process with another folder would answer for logs that it
 * cannot sign, and a command there would begin them anew: both are refused before anything is
 * written. A folder may have more keys than the database knows, since keys are made there first.
 */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { openNotary } from '../notary/notary.ts'
import { storedKeys } from '../notary/epoch-folders.ts'
import { SettingError } from './setting.ts'
import { Connection, type Queryable, inTransaction } from '../database/sql.ts'
import { acquireLogLock, upsertLogKey, logKeys } from '../store/provenance/transparency-log.ts'

type LogFolderConfig = Pick<Config, 'provenanceKeysDir' | 'provenanceOrigin'>

/** Fails unless the folder has every key of the database; answers the logs without a key. */
export const checkLogFolder = async (
  session: Queryable,
  { provenanceKeysDir: dir }: LogFolderConfig,
  epoch: 'now' | 'ever' = 'ever',
): Promise<LogId[]> => {
  const unclaimed: LogId[] = []
  for (const id of logIds) {
    const known = await logKeys(session, id)
    if (known.length === 0) unclaimed.push(id)
    const kept = await storedKeys(join(dir, id))
    const isIn = (vkeys: readonly string[]) => (key: { vkey: string }) => vkeys.includes(key.vkey)
    const missing = known.find((key) => !isIn(kept.ever)(key))
    if (missing !== undefined) throw wrongFolder(dir, id, missing.vkey)
    if (epoch === 'now' && !known.every(isIn(kept.now))) throw wrongEpoch(dir, id)
  }
  return unclaimed
}

/** The first start notes the keys of its folder in the database; every later one is compared. */
export const claimLogFolder = async (
  databaseUrl: string,
  folder: LogFolderConfig,
): Promise<void> => {
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    await inTransaction(connection, async (tx) => {
      if ((await checkLogFolder(tx, folder)).length === 0) return
      for (const id of logIds) await acquireLogLock(tx, id)
      const unclaimed = await checkLogFolder(tx, folder)
      const notary = await openNotary(folder)
      for (const id of unclaimed) {
        for (const { vkey, from_size: from, until_size: until } of (await notary.log(id)).keys) {
          await upsertLogKey(tx, {
            ...{ log_id: id, vkey, from_size: BigInt(from) },
            until_size: until === null ? null : BigInt(until),
          })
        }
      }
    })
  } finally {
    await connection.close()
  }
}

const wrongFolder = (dir: string, id: LogId, vkey: string): Error =>
  new SettingError(
    'PROVENANCE_KEYS_DIR',
    dir,
    `it lacks the key ${vkey}, with which the ${id} log of this database is signed. Use the ` +
      'folder of the other processes of this database (without the setting, provenance in the ' +
      'DATA_DIR it was first started with), or its newest copy. Only if it is lost for good: ' +
      `npm run admin -- new-log-epoch --log ${id} --keys-lost`,
  )

const wrongEpoch = (dir: string, id: LogId): Error =>
  new SettingError(
    'PROVENANCE_KEYS_DIR',
    dir,
    `it has begun another epoch of the ${id} log than this database. After a restore: ` +
      `npm run admin -- new-log-epoch --log ${id}`,
  )
