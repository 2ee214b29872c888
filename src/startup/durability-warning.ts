/**
 * Says at the start which settings of PostgreSQL may lose what was committed, and so what a caller
 * was told: the service cannot change most of them, and some fit the server (docs/operating).
 */
import { Connection, type Queryable, sql } from '../database/sql.ts'
import type { Logger } from '../telemetry/logger.ts'

interface Warning {
  report(step: string): void
  log: Logger
}

export const warnOfLostCommits = async (url: string, { report, log }: Warning): Promise<void> => {
  const connection = await Connection.open(url, 'docex start')
  const settings = await settingsThatLoseCommits(connection).finally(() => connection.close())
  if (settings.length === 0) return
  report(
    `PostgreSQL may lose what it has committed (${settings.join(', ')}): see "Commits that may be lost" in docs/operating/postgresql.md`,
  )
  log.warn({ settings }, 'commits_may_be_lost')
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
