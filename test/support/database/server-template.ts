/**
 * A stopped PostgreSQL with a migrated database, made once a week for every state of the
 * migrations, which prepare the partitions of the weeks to come. Copying its folder and its
 * database takes 1 s, where initdb and all migrations take 2 s in each test file.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { knownMigrations, migrate } from '../../../src/database/migrate.ts'
import { prepareServiceRole } from '../../../src/database/service-role.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { stuckAfterMs } from '../until.ts'
import { openTestConnection } from './test-connection.ts'

const projectFolder = fileURLToPath(new URL('../../../', import.meta.url))
const cacheFolder = join(projectFolder, 'node_modules/.cache/test-postgres')

/**
 * A service starts a PostgreSQL again that takes no connection for 9 s. On a machine that is busy
 * with other work, a test would fail by that.
 */
export const forTests = { sync: false, failingProbesMs: [stuckAfterMs] }

/** New databases are copies of this one. */
export const migratedDatabase = 'migrated'

/** Weeks since that of 1970-01-01, from Monday on, in UTC as in partitions. */
const currentWeek = (): number => Math.floor((Date.now() / 86_400_000 + 3) / 7)

/** All that decides what is in the template. */
const contentDigest = async (): Promise<string> => {
  const migrations = (await knownMigrations()).map(({ name }) => `sql/${name}`)
  const sources = [
    'src/database/service-role.ts',
    'src/embedded-postgres/data-directory.ts',
    'package-lock.json',
  ]
  const texts = [...migrations, ...sources].map((name) =>
    readFileSync(join(projectFolder, name), 'utf8'),
  )
  return hash('sha256', `${currentWeek()}\n${texts.join('\n')}`).slice(0, 16)
}

/** The files of PostgreSQL belong to an account of its own, and stay its own. */
const copyFolder = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])

/** Fills a data directory, once for all processes that want it. */
const makeTemplate = async (
  template: string,
  fill: (dataDir: string) => Promise<void>,
): Promise<void> => {
  const dataDir = temporaryFolder()
  await fill(dataDir)
  // Copies that ran at the same time would otherwise all prefer its port.
  rmSync(join(dataDir, 'postgres.port'))
  const unfinished = `${template}.${process.pid}`
  mkdirSync(unfinished, { recursive: true, mode: 0o711 })
  copyFolder(dataDir, unfinished)
  try {
    renameSync(unfinished, template)
  } catch {
    // Another test file made it meanwhile.
    rmSync(unfinished, { recursive: true })
  }
}

const fillWithMigratedDatabase = async (dataDir: string): Promise<void> => {
  const cluster = await startCluster({ dataDir, ...forTests })
  const admin = await openTestConnection(cluster.url)
  await admin.script(`create database ${migratedDatabase}`)
  await admin.close()
  const url = cluster.url.replace('/docex', `/${migratedDatabase}`)
  await migrate(url)
  await prepareServiceRole(url)
  await cluster.stop()
}

/** As a service leaves it that has migrated its database and was never ready. */
const fillWithService = async (dataDir: string): Promise<void> => {
  const cluster = await startCluster({ dataDir, ...forTests })
  await migrate(cluster.url)
  await prepareServiceRole(cluster.url)
  await cluster.stop()
}

const copyOf = async (name: string, fill: (dataDir: string) => Promise<void>): Promise<string> => {
  const template = join(cacheFolder, name)
  if (!existsSync(template)) await makeTemplate(template, fill)
  const dataDir = temporaryFolder()
  copyFolder(template, dataDir)
  return dataDir
}

/** A new data directory, in which PostgreSQL starts with the migrated database. */
export const copyServerTemplate = async (): Promise<string> =>
  copyOf(await contentDigest(), fillWithMigratedDatabase)

/** A new data directory, in which a service has nothing to create and to migrate. */
export const migratedDataDir = async (): Promise<string> =>
  copyOf(`${await contentDigest()}-service`, fillWithService)
