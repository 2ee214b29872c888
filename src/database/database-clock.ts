/** The database's clock, by which all stored times are taken. */
import { type Queryable, sql } from './sql.ts'

export const databaseNow = async (db: Queryable): Promise<string> =>
  (await db.rows<{ now: string }>(sql`select clock_timestamp() as now`))[0]!.now
