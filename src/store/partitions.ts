/**
 * The partitions of tables whose rows expire (sql/0015-partitions.sql). Only their owner may create
 * and drop them, so these functions run with the owner's rights. Each does one partition per call.
 */
import { type Queryable, type SqlQuery, sql } from '../database/sql.ts'

/** Creates a missing partition of this week or the next ones. */
export const preparePartitions = (db: Queryable): Promise<boolean> =>
  isDone(db, sql`select prepare_partitions() as done`)

/** Drops a partition all of whose rows have expired. */
export const dropExpiredPartitions = (db: Queryable): Promise<boolean> =>
  isDone(db, sql`select drop_expired_partitions() as done`)

/** Whether it did one, so that there may be another. */
const isDone = async (db: Queryable, query: SqlQuery): Promise<boolean> =>
  (await db.row<{ done: boolean }>(query))!.done
