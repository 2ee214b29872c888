/**
 * A real PostgreSQL for tests: one embedded server per test process, with databases of their own
 * for each test file. It runs without sync, since other tests cover what survives a crash. The
 * runner of the whole suite starts the servers of its processes itself, and names them in
 * TEST_SERVER.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { startCluster } from '../../../src/embedded-postgres/cluster.ts'
import { prepareServiceRole } from '../../../src/database/service-role.ts'
import { sql } from '../../../src/database/sql.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { copyServerTemplate, forTests, migratedDatabase } from './server-template.ts'
import { openTestConnection } from './test-connection.ts'

/** What tests need to know of a server. */
interface ServerAddresses {
  url: string
  loopbackUrl: string
  dataDir: string
}

let started: Promise<ServerAddresses> | undefined

/** Starts a server; whoever starts it also stops it. */
export const startTestServer = async () => {
  const dataDir = await copyServerTemplate()
  const { url, loopbackUrl, stop } = await startCluster({ dataDir, ...forTests })
  return { addresses: { url, loopbackUrl, dataDir } as ServerAddresses, stop }
}

const startServer = async (): Promise<ServerAddresses> => {
  const given = process.env.TEST_SERVER
  if (given !== undefined) return JSON.parse(given)
  const { addresses, stop } = await startTestServer()
  after(stop)
  return addresses
}

export const testServer = () => (started ??= startServer())

/** A folder for each database of this file. */
const folderPerDatabase = () => {
  const folders = new Map<string, string>()
  const folderOf = (url: string): string => {
    const name = /^[^?]*\/([^/?]+)/.exec(url)?.[1] ?? url
    const folder = folders.get(name) ?? temporaryFolder()
    folders.set(name, folder)
    return folder
  }
  return { folderOf, forget: () => folders.clear() }
}

const keysDirs = folderPerDatabase()
const dataDirs = folderPerDatabase()

/** The folder where every service on this database keeps the keys of its logs. */
export const keysDirOf = keysDirs.folderOf

/** Where every service on this database keeps its files, as a deployment has one store. */
export const dataDirOf = dataDirs.folderOf

/** Creates a migrated database; the URL is the owner's. */
export const testDatabase = async (): Promise<{ url: string; dataDir: string }> => {
  const server = await testServer()
  const name = `t_${randomBytes(6).toString('hex')}`
  const admin = await openTestConnection(server.url)
  await admin.script(`create database ${name} template ${migratedDatabase} strategy file_copy`)
  await admin.close()
  const url = server.url.replace('/docex', `/${name}`)
  // What a role may do with the database itself is not copied from the template.
  await prepareServiceRole(url)
  return { url, dataDir: server.dataDir }
}

/** Removes the databases of a file that has ended, and leaves their folders to the end. */
export const dropTestDatabases = async (): Promise<void> => {
  const admin = await openTestConnection((await testServer()).url)
  const databases = await admin.rows<{ name: string }>(sql`
    select datname as name from pg_database
    where not datistemplate and datname not in ('postgres', 'docex', ${migratedDatabase})`)
  for (const { name } of databases) await admin.script(`drop database ${name} with (force)`)
  await admin.close()
  keysDirs.forget()
  dataDirs.forget()
}
