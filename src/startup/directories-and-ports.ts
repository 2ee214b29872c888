/**
 * The places a process needs: its directories and its ports. They are looked at before anything is
 * made, and what is wrong with one is told as a fault of the setting that names it.
 */
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { type Server, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { type Config } from '../config.ts'
import { SettingError } from './setting.ts'

/** The directories that a process writes to. */
export const makeDirectories = async (config: Config): Promise<void> => {
  await makeDirectory('DATA_DIR', config.dataDir)
  await makeDirectory('PROVENANCE_KEYS_DIR', config.provenanceKeysDir)
}

/** Step by step: below /proc a recursive mkdir of Node.js never ends. */
export const makeDirectory = async (setting: string, path: string): Promise<void> => {
  try {
    for (const directory of await missingDirectories(resolve(path))) {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    }
    // With the slash a file is none.
    await access(join(path, '/'), constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new SettingError(setting, path, `a directory that can be made and written (${code})`)
  }
}

/** The directories on the way that do not exist, outermost first. */
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

/** Another process may still be faster: the same faults are told when the service listens. */
export const checkPorts = async ({ port, metricsPort, host, role }: Config): Promise<void> => {
  if (role !== 'worker') await checkPort('PORT', port, host)
  if (metricsPort !== undefined) await checkPort('METRICS_PORT', metricsPort, host)
}

const checkPort = async (setting: PortSetting, port: number, host: string): Promise<void> => {
  const server = createServer()
  await listenOn(server, setting, port, host)
  await new Promise((closed) => server.close(closed))
}

type PortSetting = 'PORT' | 'METRICS_PORT'

export const listenOn = (
  server: Server,
  setting: PortSetting,
  port: number,
  host: string,
): Promise<void> =>
  new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      failed(portError(error, setting, port, host))
    })
    server.listen(port, host, done)
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
        `another program listens on ${host}:${port} already (0 = any free port)`,
      )
    case 'EACCES':
      return new SettingError(setting, String(port), 'this account may not listen on it')
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new SettingError('HOST', host, 'an address of this machine, like 127.0.0.1 or 0.0.0.0')
    default:
      return error
  }
}
