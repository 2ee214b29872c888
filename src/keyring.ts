/**
 * The secrets of a deployment that never enter the database. One server key is kept (SERVER_KEY, or
 * a file in DATA_DIR made on the first start); every purpose has a key of its own, derived from it.
 */
import { hkdfSync, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'

export interface Keyring {
  /** Opens kept answers that show secrets, and hides Idempotency-Keys. */
  replies: Buffer
  /** Authenticates cursors. */
  cursors: Buffer
  /** Authenticates links to files. */
  files: Buffer
  /** Seals the signing secrets of webhook endpoints. */
  endpoints: Buffer
  /** Marks history rows as written by the service; null only where the benchmark prices history. */
  history: Buffer | null
}

export const openKeyring = async (
  config: Pick<Config, 'serverKey' | 'dataDir'>,
): Promise<Keyring> => {
  const secret = config.serverKey ?? (await keptSecret(join(config.dataDir, 'server.key')))
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, 'docex', purpose, 32))
  return {
    replies: derived('replies'),
    cursors: derived('cursors'),
    files: derived('files'),
    endpoints: derived('endpoints'),
    history: derived('history'),
  }
}

const keptSecret = async (file: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Renamed into place whole, so that an interrupted first start leaves no half key.
  const secret = randomBytes(32).toString('base64url')
  await writeFile(`${file}.new`, secret, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return secret
}
