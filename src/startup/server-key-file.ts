/**
 * The server keys of a process, oldest first: SERVER_KEY_PREVIOUS and SERVER_KEY, or the lines of
 * the file server.key in DATA_DIR, which the first start creates.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { replaceDurably } from '../files/durable-files.ts'
import { serverKeyMinLength } from './server-key-setting.ts'

export type ServerKeySettings = Pick<Config, 'serverKey' | 'dataDir'> &
  Partial<Pick<Config, 'previousServerKey'>>

/** Undefined if there is none yet. Read anew on each call, since a rekey changes the file. */
export const serverSecrets = async (
  config: ServerKeySettings,
): Promise<readonly string[] | undefined> =>
  config.serverKey === undefined
    ? readSecrets(serverKeyFile(config))
    : [config.previousServerKey ?? [], config.serverKey].flat()

/** Creates the file of the first start. */
export const createServerSecret = async (config: ServerKeySettings): Promise<readonly string[]> => {
  const secrets = [newSecret()]
  await keepServerSecrets(config, secrets)
  return secrets
}

/** Adds a new key to the file, after those that it has. */
export const addServerSecret = async (config: ServerKeySettings): Promise<void> => {
  const secrets = (await readSecrets(serverKeyFile(config))) ?? []
  await keepServerSecrets(config, [...secrets, newSecret()])
}

const serverKeyFile = ({ dataDir }: ServerKeySettings): string => join(dataDir, 'server.key')

const newSecret = (): string => randomBytes(32).toString('base64url')

const readSecrets = async (file: string): Promise<readonly string[] | undefined> => {
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (stored === undefined) return undefined
  const secrets = stored.replace(/\n$/, '').split('\n')
  if (secrets.some((secret) => secret.length < serverKeyMinLength)) {
    throw new Error(`${file} no longer holds its server key: restore the file.`)
  }
  return secrets
}

/** Leaves only these keys in the file. They are on disk before the database depends on them. */
export const keepServerSecrets = (
  config: ServerKeySettings,
  secrets: readonly string[],
): Promise<void> => replaceDurably(serverKeyFile(config), secrets.join('\n'))
