/**
 * Migrates a database to the newest schema with the numbered files of sql/, forward only. All
 * missing files run in one transaction under a lock, so a concurrent migrator waits and then finds
 * the work done.
 */
import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../contract/limits.ts'
import { isStillLocked } from './outages.ts'
import { Connection, type Queryable, databaseError, sql } from './sql.ts'
import { inTransaction } from './transactions.ts'
import { checkServer } from './server-check.ts'
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

interface AppliedMigration extends Migration {
  checksum: string
}

const readMigrations = async (): Promise<(AppliedMigration & { text: string })[]> =>
  Promise.all(
    (await knownMigrations()).map(async (migration) => {
      const text = await readFile(new URL(migration.name, migrationsFolder), 'utf8')
      return { ...migration, text, checksum: hash('sha256', text) }
    }),
  )

const undefinedColumn = '42703'

/** Only a database of an earlier development version has migrations without a checksum. */
const appliedMigrations = async (tx: Queryable): Promise<AppliedMigration[]> => {
  try {
    return await tx.rows(sql`select number, name, checksum from migrations order by number`)
  } catch (error) {
    if (databaseError(error)?.code !== undefinedColumn) throw error
    throw new Error('An earlier development version created the database: create a new one.', {
      cause: error,
    })
  }
}

/** What was applied must be what this build has: the same files, unchanged, and none it lacks. */
const checkApplied = (
  applied: readonly AppliedMigration[],
  known: readonly AppliedMigration[],
): void => {
  for (const [i, { number, name, checksum }] of applied.entries()) {
    const same = known[i]
    if (same === undefined || same.number !== number) {
      throw new Error(
        `The database has migration ${name}, which this build does not know: start a newer build.`,
      )
    }
    if (same.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was applied with other content: restore the file, and put changes into a new one.`,
      )
    }
  }
}

/**
 * Applies the missing migrations, however long that takes, and returns their names. Where a process
 * of an older version writes meanwhile, each may lock what the other one waits for: all of it is
 * rolled back then, and begins again.
 */
export const migrate = async (url: string): Promise<string[]> => {
  const connection = await Connection.open(url, 'docex migrate', { queryTimeoutMs: 0 })
  try {
    await checkServer(connection, url)
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await inTransaction(connection, applyMissing)
      } catch (error) {
        if (!isStillLocked(error) || attempt === limits.startAttemptsMax) throw error
        await pause(limits.startAgainAfterMs)
      }
    }
  } finally {
    await connection.close()
  }
}

const applyMissing = async (tx: Connection): Promise<string[]> => {
  // PostgreSQL 17 and newer.
  await tx.run(sql`
    select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`)
  await acquireStartupLock(tx, migrationLockKey)
  await tx.run(sql`set local statement_timeout = 0`)
  await tx.run(
    sql`create table if not exists migrations (number integer primary key, name text not null, checksum text not null, at timestamptz not null default now())`,
  )
  const known = await readMigrations()
  const applied = await appliedMigrations(tx)
  checkApplied(applied, known)
  if (applied.length === 0) await checkEncoding(tx)
  const missing = known.slice(applied.length)
  for (const { number, name, text, checksum } of missing) {
    await tx.run(sql`
      insert into migrations (number, name, checksum) values (${number}, ${name}, ${checksum})`)
    await tx.script(text)
  }
  return missing.map(({ name }) => name)
}

/** Another encoding lacks characters, or lets PostgreSQL cut texts within one. */
const checkEncoding = async (tx: Queryable): Promise<void> => {
  const { encoding } = (await tx.row<{ encoding: string }>(
    sql`select current_setting('server_encoding') as encoding`,
  ))!
  if (encoding === 'UTF8') return
  throw new Error(
    `The database must have the encoding UTF8, and has ${encoding}: create it anew with "encoding 'UTF8' template template0".`,
  )
}
