/** Whether somebody waits for the lock of an endpoint. */
import { type Queryable, sql } from '../../../src/database/sql.ts'

export const waitsForEndpoint = async (database: Pick<Queryable, 'rows'>): Promise<boolean> => {
  const waiting = await database.rows(sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like '%webhook_endpoints%'`)
  return waiting.length > 0
}
