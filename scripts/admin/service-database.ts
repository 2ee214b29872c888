/** The database of the service that a command is for. */
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, readConfig } from '../../src/config.ts'
import { isOutage } from '../../src/database/outages.ts'
import type { RowSeals } from '../../src/database/row-seals.ts'
import { checkServer } from '../../src/database/server-check.ts'
import { Connection, DatabaseUnavailable } from '../../src/database/sql.ts'
import { startCluster } from '../../src/embedded-postgres/cluster.ts'
import { savedLoopbackUrl } from '../../src/embedded-postgres/layout.ts'
import { databaseUrlError } from '../../src/startup/database-url-error.ts'
import { BadInput } from './admin-command.ts'

interface FoundService {
  config: Config
  databaseUrl: string
  /** Whether it is the PostgreSQL of DATA_DIR. */
  isEmbedded: boolean
  baseUrl: string
}

/**
 * DATABASE_URL, else the database of the service that runs here: sandbox.json names it, whichever
 * it is; without practice organizations there is no such file, and it is the embedded one.
 */
export const findService = async (settings: NodeJS.ProcessEnv): Promise<FoundService> => {
  const given = settings['DATABASE_URL'] || undefined
  const config = readConfig({ ...settings, DATABASE_URL: given })
  const { dataDir, baseUrl } = config
  if (given !== undefined) return { config, databaseUrl: given, isEmbedded: false, baseUrl }
  const described: { database_url?: string; base_url?: string } = await readFile(
    join(dataDir, 'sandbox.json'),
    'utf8',
  )
    .then((content) => JSON.parse(content) ?? {})
    .catch((error) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw new BadInput(`sandbox.json cannot be read: ${(error as Error).message}`)
    })
  const [named, saved] = [described.database_url, savedLoopbackUrl(dataDir)]
  // The port of the embedded one changes when another program has taken it.
  const isEmbedded = saved !== undefined && withoutPort(named ?? saved) === withoutPort(saved)
  const databaseUrl = isEmbedded ? saved : named
  if (databaseUrl === undefined) {
    throw new BadInput(
      `There is no service in ${dataDir}: run npm start first, or set DATABASE_URL or DATA_DIR.`,
    )
  }
  return { config, databaseUrl, isEmbedded, baseUrl: described.base_url ?? baseUrl }
}

const withoutPort = (url: string): string => url.replace(/:\d+\//, '/')

interface ServiceDatabase {
  connection: Connection
  close(): Promise<void>
}

/**
 * The embedded PostgreSQL ends with the service, which does not start without its keys. A command
 * that mends that finds nobody who runs PostgreSQL, and runs it itself.
 */
export const openServiceDatabase = async (
  { config, databaseUrl, isEmbedded }: FoundService,
  seals: RowSeals,
): Promise<ServiceDatabase> => {
  const open = (url: string) => Connection.open(url, 'docex admin', { seals })
  try {
    const connection = await open(databaseUrl)
    if (!isEmbedded) await checkSessions(connection, databaseUrl)
    return { connection, close: () => connection.close() }
  } catch (error) {
    if (config.databaseUrl !== undefined) throw databaseUrlError(error, databaseUrl)
    if (!isEmbedded || !(error instanceof DatabaseUnavailable)) throw error
  }
  checkOwner(config.dataDir)
  const cluster = await startCluster({ dataDir: config.dataDir }).catch((error: unknown) => {
    throw new BadInput((error as Error).message)
  })
  try {
    const connection = await open(cluster.url)
    const close = async () => {
      await connection.close()
      await cluster.stop()
    }
    return { connection, close }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

/** With other settings than the service gives its sessions, true rows would seem to be false. */
const checkSessions = (connection: Connection, url: string): Promise<void> =>
  checkServer(connection, url).catch(async (error: unknown) => {
    await connection.close()
    throw isOutage(error) ? error : new BadInput((error as Error).message)
  })

/** As another user, or root, PostgreSQL would leave files that keep the service from starting. */
const checkOwner = (dataDir: string): void => {
  const owner = statSync(join(dataDir, 'postgres.lock'), { throwIfNoEntry: false })?.uid
  if (owner === undefined || owner === process.getuid?.()) return
  throw new BadInput(
    `PostgreSQL does not run, and ${dataDir} is of the user with the id ${owner}: run this command as that user.`,
  )
}
