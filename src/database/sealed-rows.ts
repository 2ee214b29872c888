/** Changes sealed rows outside of the engine. */
import { type Queryable, type SqlQuery, raw, sql } from './sql.ts'
import type { RowSeals, SealedTable } from './row-seals.ts'
import type { Rows } from './rows.ts'
import { selectList, updateRows } from './table-writes.ts'

/**
 * Loads the rows `t` that match the condition, changes them, seals them anew and saves what
 * changed.
 * The caller has locked the rows. A row whose seal is broken stays as it is, for every use of it
 * fails. Returns the number of rows that were changed.
 */
export const changeSealedRows = async <T extends SealedTable>(
  tx: Queryable,
  seals: RowSeals,
  table: T,
  condition: SqlQuery,
  change: (row: Rows[T]) => Partial<Rows[T]>,
): Promise<number> => {
  const found = await tx.rows<Rows[T]>(sql`
    select ${selectList(table, 't')} from ${raw(table)} t where ${condition}`)
  const rows = found.filter((row) => seals.holds(table, row))
  const changes = rows.map(change)
  const names = Object.keys(changes[0] ?? {})
  const saved = rows.map((row, i) => seals.seal(table, { ...row, ...changes[i]! }))
  if (names.length > 0) await updateRows(tx, table, ['id'], [...names, 'seal'], saved)
  return saved.length
}
