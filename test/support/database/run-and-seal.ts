/** Changes rows by a statement of the test, and seals them as the service would have. */
import type { SealedTable, TextTable } from '../../../src/database/row-seals.ts'
import { sealRows } from '../../../src/database/sealed-rows.ts'
import type { Queryable, SqlQuery } from '../../../src/database/sql.ts'

export const runAndSeal = async (
  database: Queryable,
  table: Exclude<SealedTable, TextTable>,
  query: SqlQuery,
): Promise<number> => {
  const count = await database.run(query)
  await sealRows(database, table)
  return count
}
