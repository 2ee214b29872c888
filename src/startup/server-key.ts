/**
 * One server key per database. Idempotency-Keys are looked up by a MAC under it: a process with
 * another key would not recognise a retry and would make the effect again. So a start leaves a mark
 * in the database, and a start with another key is refused.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { SettingError } from './setting.ts'
import type { Keyring } from './keyring.ts'
import { Connection } from '../database/sql.ts'
import { insertServerKeyCheck, serverKeyCheck } from '../store/deployment.ts'

export const checkServerKey = async (databaseUrl: string, keyring: Keyring): Promise<void> => {
  const macOf = (salt: Buffer) => createHmac('sha256', keyring.databaseMark).update(salt).digest()
  const connection = await Connection.open(databaseUrl, 'docex start')
  try {
    const salt = randomBytes(16)
    await insertServerKeyCheck(connection, { salt, mac: macOf(salt) })
    const known = (await serverKeyCheck(connection))!
    if (!timingSafeEqual(known.mac, macOf(known.salt))) throw wrongServerKey()
  } finally {
    await connection.close()
  }
}

const wrongServerKey = (): Error =>
  new SettingError(
    'SERVER_KEY',
    '…',
    'this database is in use with another one, by which it recognises retries. Start with that ' +
      'key: the SERVER_KEY of its other processes, or the text in the file server.key of the ' +
      'DATA_DIR it was first started with. Only if it is lost for good: ' +
      'npm run admin -- server-key forget',
  )
