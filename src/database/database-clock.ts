/** The database's clock, by which all stored times are taken. */
import { type Queryable, sql } from './sql.ts'

export const databaseNow = async (db: Queryable): Promise<string> =>
  (await db.row<{ now: string }>(sql`select pg_catalog.clock_timestamp() as now`))!.now
