/**
 * A real PostgreSQL for tests: one embedded server per test process, a database per test file
 * cloned from a migrated template. Without sync: what a crash keeps is tested elsewhere.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Cluster, startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { Connection } from '../../../src/database/sql.ts'

let started: Promise<{ cluster: Cluster; dataDir: string }> | undefined

const startServer = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'docex-test-'))
  const cluster = await startCluster({ dataDir, sync: false })
  after(async () => {
    await cluster.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { cluster, dataDir }
}

export const testServer = () => (started ??= startServer())

const keysDirs = new Map<string, string>()

/** Where every service on this database keeps the keys of its logs. */
export const keysDirOf = (url: string): string => {
  const name = /^[^?]*\/([^/?]+)/.exec(url)?.[1] ?? url
  const known = keysDirs.get(name)
  if (known !== undefined) return known
  const made = mkdtempSync(join(tmpdir(), 'docex-keys-'))
  keysDirs.set(name, made)
  after(() => rm(made, { recursive: true, force: true }))
  return made
}

/** A fresh, migrated database. */
export const testDatabase = async (): Promise<{ url: string; dataDir: string }> => {
  const { cluster, dataDir } = await testServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  const admin = await Connection.open(cluster.url, 'docex test')
  await admin.script(`create database ${name}`)
  await admin.close()
  const url = cluster.url.replace('/docex', `/${name}`)
  await migrate(url)
  return { url, dataDir }
}
