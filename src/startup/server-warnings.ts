/**
 * Says at the start what of PostgreSQL the service cannot change, and what an operator would want
 * to know before it happens: settings with which commits may be lost, too few connections, indexes
 * that no query uses, and what is not as the migrations made it. Some of it fits the server, so the
 * start goes on (docs/operating/postgresql.md).
 */
import { connectionsMax } from '../database/connection-counts.ts'
import { type SchemaDifferences, schemaDifferences } from '../database/schema-differences.ts'
import { Connection, type Queryable, sql } from '../database/sql.ts'
import type { Logger } from '../telemetry/logger.ts'

interface Warning {
  report(step: string): void
  log: Logger
}

export const warnOfServer = async (url: string, warning: Warning): Promise<void> => {
  const connection = await Connection.open(url, 'docex start')
  try {
    warnOfLostCommits(await settingsThatLoseCommits(connection), warning)
    warnOfFewConnections(await connectionShortage(connection), warning)
    warnOfInvalidIndexes(await invalidIndexes(connection), warning)
    warnOfDifferences(await schemaDifferences(connection), warning)
  } finally {
    await connection.close()
  }
}

const page = 'docs/operating/postgresql.md'

const warnOfLostCommits = (settings: readonly string[], { report, log }: Warning): void => {
  if (settings.length === 0) return
  report(
    `PostgreSQL may lose what it has committed (${settings.join(', ')}): see "Commits that may be lost" in ${page}`,
  )
  log.warn({ settings }, 'commits_may_be_lost')
}

const warnOfFewConnections = (shortage: Shortage | undefined, { report, log }: Warning): void => {
  if (shortage === undefined) return
  const { allowed, needed } = shortage
  report(
    `PostgreSQL allows ${allowed} connections, and each process opens up to ${needed}: see "Connections" in ${page}`,
  )
  log.warn(shortage, 'connections_too_few')
}

const warnOfInvalidIndexes = (indexes: readonly string[], { report, log }: Warning): void => {
  if (indexes.length === 0) return
  report(
    `PostgreSQL does not use ${indexes.join(', ')}: see "Indexes that are not valid" in ${page}`,
  )
  log.warn({ indexes }, 'indexes_not_valid')
}

const namedMost = 5

/** Of all tables, triggers and functions. The log has those that do not fit. */
const warnOfDifferences = (differences: SchemaDifferences, { report, log }: Warning): void => {
  const { missing, changed } = differences
  const names = [
    ...missing.map((name) => `${name} is missing`),
    ...changed.map((name) => `${name} is another one`),
  ]
  if (names.length === 0) return
  const more = names.length > namedMost ? `, and ${names.length - namedMost} more` : ''
  const named = names.slice(0, namedMost).join(', ') + more
  report(
    `The database is not as its migrations made it: ${named}. See "Altered schemas" in ${page}`,
  )
  log.warn(differences, 'schema_altered')
}

/** As the sessions of the service have them. */
export const settingsThatLoseCommits = async (db: Queryable): Promise<string[]> => {
  const rows = await db.rows<{ setting: string }>(sql`
    select name || ' = ' || setting as setting from pg_settings
    where (name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off')
      or (name = 'synchronous_commit' and setting = 'local'
        and current_setting('synchronous_standby_names') <> '')
    order by name`)
  return rows.map(({ setting }) => setting)
}

interface Shortage {
  allowed: number
  needed: number
}

/** The fewest that server, database and user allow, if one process may need more. */
export const connectionShortage = async (db: Queryable): Promise<Shortage | undefined> => {
  const needed = connectionsMax
  const row = await db.row<{ allowed: number }>(sql`
    select least(
      current_setting('max_connections')::integer
        - current_setting('superuser_reserved_connections')::integer
        - coalesce(current_setting('reserved_connections', true)::integer, 0),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as allowed`)
  return row!.allowed < needed ? { allowed: row!.allowed, needed } : undefined
}

/**
 * What an interrupted `create index concurrently` or `reindex concurrently` leaves: every write
 * maintains it and no query uses it. A migration with `if not exists` takes it for its own index.
 */
const invalidIndexes = async (db: Queryable): Promise<string[]> => {
  const rows = await db.rows<{ name: string }>(sql`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and not i.indisvalid
    order by c.relname`)
  return rows.map(({ name }) => name)
}
