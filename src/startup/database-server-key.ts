/**
 * One server key per database, or two during a rekey. Idempotency-Keys are looked up by their MAC
 * under this key, so a process with a different key would miss a retry and repeat its effect. The
 * first start therefore registers its key in the database, and a start with other keys is refused.
 */
import { randomBytes } from 'node:crypto'
import { SettingError } from './setting.ts'
import { type Keyring, serverKeyMac } from './keyring.ts'
import { Connection, type Queryable } from '../database/sql.ts'
import { insertFirstServerKey, serverKeys } from '../store/server-keys.ts'

export const claimServerKey = async (databaseUrl: string, keyring: Keyring): Promise<void> => {
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    const salt = randomBytes(16)
    const mac = serverKeyMac(keyring.unregistered.at(-1) ?? '', 1, salt)
    if (keyring.unregistered.length > 0) await insertFirstServerKey(connection, { salt, mac })
    await checkServerKey(connection, keyring)
  } finally {
    await connection.close()
  }
}

/** Refuses other keys than those that the database was written under, if there are any. */
export const checkServerKey = async (db: Queryable, keyring: Keyring): Promise<void> => {
  await keyring.renew(db)
  const rows = await serverKeys(db)
  if (rows.length === 0) return
  if (!keyring.seals.isComplete) throw wrongServerKey()
  const inUse = rows.filter(({ archive, seals_since }) => archive === null && seals_since !== null)
  if (inUse.some(({ generation }) => keyring.seals.of(generation) === undefined)) {
    throw previousServerKeyMissing()
  }
}

const wrongServerKey = (): Error =>
  new SettingError(
    'SERVER_KEY',
    '…',
    'this database uses a different server key to recognise retries. Start with that key: the ' +
      'SERVER_KEY of its other processes, or the last line of the file server.key in the DATA_DIR ' +
      'of its first start. Only if the key is lost for good: npm run admin -- server-key forget',
  )

const previousServerKeyMissing = (): Error =>
  new SettingError(
    'SERVER_KEY_PREVIOUS',
    '',
    'the server key before SERVER_KEY, until npm run admin -- rekey --finish has succeeded',
  )
