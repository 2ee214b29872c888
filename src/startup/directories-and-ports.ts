/**
 * The directories and ports of a process. They are checked before the start changes anything, and a
 * problem is reported as an error of the setting that names the directory or port.
 */
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { type Server, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { type Config } from '../config.ts'
import { SettingError } from './setting.ts'

export const makeDirectories = async (config: Config): Promise<void> => {
  await makeDirectory('DATA_DIR', config.dataDir)
  await makeDirectory('PROVENANCE_KEYS_DIR', config.provenanceKeysDir)
}

/** Creates one level at a time: below /proc a recursive mkdir of Node.js never returns. */
export const makeDirectory = async (setting: string, path: string): Promise<void> => {
  try {
    for (const directory of await missingDirectories(resolve(path))) {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    }
    // The trailing slash makes access() fail on a plain file.
    await access(join(path, '/'), constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new SettingError(setting, path, `a directory that can be created and written (${code})`)
  }
}

/** The missing directories of a path, outermost first. */
const missingDirectories = async (path: string): Promise<string[]> => {
  const exists = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
  return exists || dirname(path) === path
    ? []
    : [...(await missingDirectories(dirname(path))), path]
}

/** Another process may still take a port first; listening then reports the same errors. */
export const checkPorts = async ({ port, metricsPort, host, role }: Config): Promise<void> => {
  if (role !== 'worker') await checkPort('PORT', port, host)
  if (metricsPort !== undefined) await checkPort('METRICS_PORT', metricsPort, host)
}

const checkPort = async (setting: PortSetting, port: number, host: string): Promise<void> => {
  const server = createServer()
  await listenOn(server, setting, port, host)
  await new Promise((resolve) => server.close(resolve))
}

type PortSetting = 'PORT' | 'METRICS_PORT'

export const listenOn = (
  server: Server,
  setting: PortSetting,
  port: number,
  host: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portError(error, setting, port, host))
    })
    server.listen(port, host, resolve)
  })

export const portError = (
  error: NodeJS.ErrnoException,
  setting: PortSetting,
  port: number,
  host: string,
): Error => {
  switch (error.code) {
    case 'EADDRINUSE':
      return new SettingError(
        setting,
        String(port),
        `another program already listens on ${host}:${port} (0 = any free port)`,
      )
    case 'EACCES':
      return new SettingError(setting, String(port), 'this account may not listen on it')
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new SettingError(
        'HOST',
        host,
        'an address of this machine, such as 127.0.0.1 or 0.0.0.0',
      )
    default:
      return error
  }
}
