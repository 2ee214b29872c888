/**
 * Whether a server, and what lies on the way to it, serves the service: its version, triggers, and
 * sessions with the settings of session-options.ts. A connection pooler may drop them, and times
 * would then be read in another zone; or it may give each transaction another session.
 */
import { randomUUID } from 'node:crypto'
import { columnArray } from './binary-arrays.ts'
import { sessionSettings } from './session-options.ts'
import { Connection, sql } from './sql.ts'

export const checkServer = async (connection: Connection, url: string): Promise<void> => {
  await checkVersion(connection)
  await checkSettings(connection)
  await checkTriggers(connection)
  await checkOwnSession(connection, url)
}

const minimumMajorVersion = 15

const checkVersion = async (connection: Connection): Promise<void> => {
  const server = await connection.row<{ major: number; version: string }>(sql`
    select current_setting('server_version_num')::integer / 10000 as major,
           current_setting('server_version') as version`)
  if (server!.major >= minimumMajorVersion) return
  throw new Error(
    `PostgreSQL ${minimumMajorVersion} or newer is required, but this server is ${server!.version}.`,
  )
}

export const poolerRemedy =
  'connect to PostgreSQL itself, or see "Connection poolers" in docs/operating/postgresql.md'

/** PostgreSQL prints `'public, pg_temp'` as it was set. */
const compact = (setting: string): string => setting.replaceAll(' ', '').toLowerCase()

const checkSettings = async (connection: Connection): Promise<void> => {
  const names = columnArray('text', Object.keys(sessionSettings))
  const found = await connection.rows<{ name: string; setting: string }>(sql`
    select lower(name) as name, setting from pg_settings where lower(name) = any(${names}::text[])`)
  const current = new Map(found.map(({ name, setting }) => [name, compact(setting)]))
  const missing = Object.entries(sessionSettings)
    .filter(([name, value]) => current.get(name) !== compact(value))
    .map(([name]) => name)
  if (missing.length === 0) return
  throw new Error(
    `A connection pooler drops settings that the service gives its sessions (${missing.join(', ')}): ${poolerRemedy}.`,
  )
}

/**
 * Foreign keys are triggers as well. Only a superuser could set it for a session. `local` is for
 * replication by programs of others, and runs the same triggers as `origin`.
 */
const checkTriggers = async (connection: Connection): Promise<void> => {
  const row = await connection.row<{ role: string }>(
    sql`select current_setting('session_replication_role') as role`,
  )
  if (row!.role !== 'replica') return
  throw new Error(
    'PostgreSQL runs no triggers for this user (session_replication_role = replica): reset it for the role and the database.',
  )
}

/** In the transaction mode of a pooler, what one session sets, the next one finds. */
const checkOwnSession = async (connection: Connection, url: string): Promise<void> => {
  const mark = randomUUID()
  await connection.run(sql`select set_config('docex.session', ${mark}, false)`)
  const other = await Connection.open(url, 'docex migrate')
  try {
    const row = await other.row<{ mark: string | null }>(
      sql`select current_setting('docex.session', true) as mark`,
    )
    if (row!.mark !== mark) return
  } finally {
    await other.close()
  }
  throw new Error(`A connection pooler shares sessions among the connections: ${poolerRemedy}.`)
}
