/**
 * One set of log keys per database. A process with another PROVENANCE_KEYS_DIR could not sign the
 * logs it serves, and an operator's command would start them over: both are refused before anything
 * is written. The folder may hold keys that the database lacks, since keys are created there first.
 */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type LogId, logIds } from '../core/provenance/signed-notes.ts'
import { openNotary } from '../notary/notary.ts'
import { storedKeys } from '../notary/epoch-folders.ts'
import { SettingError } from './setting.ts'
import { Connection, type Queryable } from '../database/sql.ts'
import { inTransaction } from '../database/transactions.ts'
import { acquireLogLock, upsertLogKey, logKeys } from '../store/provenance/transparency-log.ts'

type LogKeysConfig = Pick<Config, 'provenanceKeysDir' | 'provenanceOrigin'>

/** Fails unless the folder has every key of the database. Returns the logs that have no key yet. */
export const checkLogKeys = async (
  session: Queryable,
  { provenanceKeysDir: dir }: LogKeysConfig,
  epoch: 'now' | 'ever' = 'ever',
): Promise<LogId[]> => {
  const unclaimed: LogId[] = []
  for (const id of logIds) {
    const databaseKeys = await logKeys(session, id)
    if (databaseKeys.length === 0) unclaimed.push(id)
    const folderKeys = await storedKeys(join(dir, id))
    const isIn = (vkeys: readonly string[]) => (key: { vkey: string }) => vkeys.includes(key.vkey)
    const missing = databaseKeys.find((key) => !isIn(folderKeys.ever)(key))
    if (missing !== undefined) throw wrongFolder(dir, id, missing.vkey)
    if (epoch === 'now' && !databaseKeys.every(isIn(folderKeys.now))) throw wrongEpoch(dir, id)
  }
  return unclaimed
}

/** The first start records the keys of its folder in the database; later starts compare. */
export const claimLogKeys = async (databaseUrl: string, config: LogKeysConfig): Promise<void> => {
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    await inTransaction(connection, async (tx) => {
      if ((await checkLogKeys(tx, config)).length === 0) return
      for (const id of logIds) await acquireLogLock(tx, id)
      const unclaimed = await checkLogKeys(tx, config)
      const notary = await openNotary(config)
      for (const id of unclaimed) {
        for (const { vkey, from_size: from, until_size: until } of (await notary.log(id)).keys) {
          await upsertLogKey(tx, {
            log_id: id,
            vkey,
            from_size: BigInt(from),
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
    `it lacks the key ${vkey}, which signs the ${id} log of this database. Use the folder of the ` +
      'other processes of this database (without the setting: provenance in the DATA_DIR of the ' +
      'first start), or its newest copy. Only if it is lost for good: ' +
      `npm run admin -- new-log-epoch --log ${id} --keys-lost`,
  )

const wrongEpoch = (dir: string, id: LogId): Error =>
  new SettingError(
    'PROVENANCE_KEYS_DIR',
    dir,
    `it holds another epoch of the ${id} log than this database. After a restore: ` +
      `npm run admin -- new-log-epoch --log ${id}`,
  )
