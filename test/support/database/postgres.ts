/**
 * A real PostgreSQL for tests: one embedded server per test process, with a database per test file.
 * It runs without sync, since other tests cover what survives a crash.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type Cluster, startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { prepareServiceRole } from '../../../src/database/service-role.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { copyServerTemplate, migratedDatabase } from './server-template.ts'
import { openTestConnection } from './test-connection.ts'

let started: Promise<{ cluster: Cluster; dataDir: string }> | undefined

const startServer = async () => {
  const dataDir = await copyServerTemplate()
  const cluster = await startCluster({ dataDir, sync: false })
  after(() => cluster.stop())
  return { cluster, dataDir }
}

export const testServer = () => (started ??= startServer())

const keysDirs = new Map<string, string>()

/** The folder where every service on this database keeps the keys of its logs. */
export const keysDirOf = (url: string): string => {
  const name = /^[^?]*\/([^/?]+)/.exec(url)?.[1] ?? url
  const existing = keysDirs.get(name)
  if (existing !== undefined) return existing
  const created = temporaryFolder()
  keysDirs.set(name, created)
  return created
}

/** Creates a migrated database; the URL is the owner's. */
export const testDatabase = async (): Promise<{ url: string; dataDir: string }> => {
  const { cluster, dataDir } = await testServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  const admin = await openTestConnection(cluster.url)
  await admin.script(`create database ${name} template ${migratedDatabase} strategy file_copy`)
  await admin.close()
  const url = cluster.url.replace('/docex', `/${name}`)
  await prepareServiceRole(url)
  return { url, dataDir }
}
