/**
 * Migrates a database to the newest schema with the numbered files of sql/, forward only. All
 * missing files run in one transaction under a lock, so a concurrent migrator waits and then finds
 * the work done.
 */
import { readdir, readFile } from 'node:fs/promises'
import { Connection, inTransaction, sql } from './sql.ts'
import { acquireStartupLock } from './startup-lock.ts'

const migrationsFolder = new URL('../../sql/', import.meta.url)
const migrationLockKey = 4_216_771

export interface Migration {
  number: number
  name: string
}

export const knownMigrations = async (): Promise<Migration[]> =>
  (await readdir(migrationsFolder))
    .filter((name) => /^\d{4}-.*\.sql$/.test(name))
    .toSorted()
    .map((name) => ({ number: Number(name.slice(0, 4)), name }))

/** Applies the missing migrations and returns their names. */
export const migrate = async (url: string): Promise<string[]> => {
  const connection = await Connection.open(url, 'docex migrate')
  try {
    await checkVersion(connection)
    return await inTransaction(connection, async (tx) => {
      await acquireStartupLock(tx, migrationLockKey)
      await tx.run(sql`set local statement_timeout = 0`)
      await tx.run(sql`set local client_min_messages = warning`)
      await tx.run(
        sql`create table if not exists migrations (number integer primary key, name text not null, at timestamptz not null default now())`,
      )
      const done = new Set(
        (await tx.rows<Migration>(sql`select number from migrations`)).map((row) => row.number),
      )
      const missing = (await knownMigrations()).filter(({ number }) => !done.has(number))
      for (const { number, name } of missing) {
        await tx.run(sql`insert into migrations (number, name) values (${number}, ${name})`)
        await tx.script(await readFile(new URL(name, migrationsFolder), 'utf8'))
      }
      return missing.map(({ name }) => name)
    })
  } finally {
    await connection.close()
  }
}

const minimumMajorVersion = 15

const checkVersion = async (connection: Connection): Promise<void> => {
  const [server] = await connection.rows<{ major: number; version: string }>(sql`
    select current_setting('server_version_num')::integer / 10000 as major,
           current_setting('server_version') as version`)
  if (server!.major >= minimumMajorVersion) return
  throw new Error(
    `PostgreSQL ${minimumMajorVersion} or newer is required, but this server is ${server!.version}.`,
  )
}
