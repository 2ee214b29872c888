/**
 * The secrets of a deployment that never enter the database. Each purpose has its own key, derived
 * from the server key: SERVER_KEY, or a file in DATA_DIR that the first start creates.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, serverKeyMinLength } from '../config.ts'

export interface Keyring {
  /** Encrypts stored responses that show secrets, and MACs Idempotency-Keys. */
  idempotency: Buffer
  /** Authenticates cursors. */
  cursors: Buffer
  /** Authenticates download links. */
  fileLinks: Buffer
  /** Encrypts the signing secrets of webhook endpoints. */
  webhookSecrets: Buffer
  /** MACs history rows as written by the service. Null only in the benchmark without history. */
  history: Buffer | null
  /** Seals rows (database/row-seals.ts). */
  seals: Buffer
  /** Binds the database to this server key (database-server-key.ts). */
  databaseCheck: Buffer
}

type ServerKeySettings = Pick<Config, 'serverKey' | 'dataDir'>

/** Creates the server key on the first start. */
export const openKeyring = async (config: ServerKeySettings): Promise<Keyring> => {
  const file = serverKeyFile(config)
  return keyringOf(config.serverKey ?? (await loadServerKey(file)) ?? (await createServerKey(file)))
}

/** Undefined if there is no server key yet. */
export const openExistingKeyring = async (
  config: ServerKeySettings,
): Promise<Keyring | undefined> => {
  const secret = config.serverKey ?? (await loadServerKey(serverKeyFile(config)))
  return secret === undefined ? undefined : keyringOf(secret)
}

const serverKeyFile = ({ dataDir }: ServerKeySettings): string => join(dataDir, 'server.key')

const keyringOf = (secret: string): Keyring => {
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, 'docex', purpose, 32))
  return {
    idempotency: derived('replies'),
    cursors: derived('cursors'),
    fileLinks: derived('files'),
    webhookSecrets: derived('endpoints'),
    history: derived('history'),
    seals: derived('seals'),
    databaseCheck: derived('mark'),
  }
}

const loadServerKey = async (file: string): Promise<string | undefined> => {
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stored !== undefined && stored.length < serverKeyMinLength) {
    throw new Error(`${file} no longer holds its server key: restore the file.`)
  }
  return stored
}

/**
 * Flushes the key to disk before its first use and renames it into place as a whole: neither an
 * interrupted first start nor a power cut leaves half a key beside a database that depends on it.
 */
const createServerKey = async (file: string): Promise<string> => {
  const secret = randomBytes(32).toString('base64url')
  await writeFile(`${file}.new`, secret, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  const folder = await open(dirname(file))
  await folder.sync()
  await folder.close()
  return secret
}
