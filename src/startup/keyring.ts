/**
 * The secrets of a deployment that never enter the database. One server key is kept (SERVER_KEY, or
 * a file in DATA_DIR made on the first start); every purpose has a key of its own, derived from it.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Config, serverKeyMinLength } from '../config.ts'

export interface Keyring {
  /** Opens kept answers that show secrets, and hides Idempotency-Keys. */
  idempotency: Buffer
  /** Authenticates cursors. */
  cursors: Buffer
  /** Authenticates links to files. */
  fileLinks: Buffer
  /** Seals the signing secrets of webhook endpoints. */
  webhookSecrets: Buffer
  /** Marks history rows as written by the service; null only where the benchmark prices history. */
  history: Buffer | null
  /** Marks the database as one of this server key (server-key.ts). */
  databaseMark: Buffer
}

export const openKeyring = async (
  config: Pick<Config, 'serverKey' | 'dataDir'>,
): Promise<Keyring> => {
  const secret = config.serverKey ?? (await loadServerKey(join(config.dataDir, 'server.key')))
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, 'docex', purpose, 32))
  return {
    idempotency: derived('replies'),
    cursors: derived('cursors'),
    fileLinks: derived('files'),
    webhookSecrets: derived('endpoints'),
    history: derived('history'),
    databaseMark: derived('mark'),
  }
}

const loadServerKey = async (file: string): Promise<string> => {
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (kept !== undefined && kept.length < serverKeyMinLength) {
    throw new Error(`${file} does not hold the server key that was made in it: restore the file.`)
  }
  return kept ?? (await createServerKey(file))
}

/**
 * On disk before anything is sealed with it, and renamed into place whole: neither an interrupted
 * first start nor a power cut leaves half a key beside a database that rests on it.
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
