/**
 * One server key per database. Idempotency-Keys are looked up by their MAC under this key, so a
 * process with a different key would miss a retry and repeat its effect. The first start therefore
 * stores a check value in the database, and a start with a different key is refused.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { SettingError } from './setting.ts'
import type { Keyring } from './keyring.ts'
import { Connection, type Queryable } from '../database/sql.ts'
import { insertServerKeyCheck, serverKeyCheck } from '../store/deployment.ts'

export const claimServerKey = async (databaseUrl: string, keyring: Keyring): Promise<void> => {
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    const salt = randomBytes(16)
    await insertServerKeyCheck(connection, { salt, mac: macOf(keyring, salt) })
    await checkServerKey(connection, keyring)
  } finally {
    await connection.close()
  }
}

/** Refuses another key than the one that has claimed the database, if one has. */
export const checkServerKey = async (db: Queryable, keyring: Keyring): Promise<void> => {
  const stored = await serverKeyCheck(db)
  if (stored !== undefined && !timingSafeEqual(stored.mac, macOf(keyring, stored.salt))) {
    throw wrongServerKey()
  }
}

const macOf = ({ databaseCheck }: Keyring, salt: Buffer): Buffer =>
  createHmac('sha256', databaseCheck).update(salt).digest()

const wrongServerKey = (): Error =>
  new SettingError(
    'SERVER_KEY',
    '…',
    'this database uses a different server key to recognise retries. Start with that key: the ' +
      'SERVER_KEY of its other processes, or the text of the file server.key in the DATA_DIR of ' +
      'its first start. Only if the key is lost for good: npm run admin -- server-key forget',
  )
