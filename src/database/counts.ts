/** Statements that count. */
import type { Queryable, SqlQuery } from './sql.ts'

/** The number that a statement with the one column `count` returns. */
export const countOf = async (db: Queryable, query: SqlQuery): Promise<number> =>
  Number((await db.row<{ count: bigint }>(query))!.count)
