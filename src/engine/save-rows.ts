/** Saves the rows of one loaded table, in pipelined statements. */
import type { Connection } from '../database/sql.ts'
import { insertRows, updateRows } from '../database/table-writes.ts'
import { type UpsertTable, type WorkingSet, keyColumnOf } from './unit-of-work.ts'

/** Statements that have been sent, each with the number of rows it must affect. */
export type ExpectedCounts = [touched: Promise<number>, rows: number][]

/** `columns` are those that may change after a row is inserted. */
export const updateChanged = (
  db: Connection,
  set: WorkingSet,
  table: UpsertTable,
  columns: readonly string[],
): ExpectedCounts => {
  const { changed } = set.changesOf(table)
  if (changed.length === 0) return []
  return [[updateRows(db, table, [keyColumnOf(table)], columns, changed), changed.length]]
}

export const insertAdded = (
  db: Connection,
  set: WorkingSet,
  table: UpsertTable,
): ExpectedCounts => {
  const { added } = set.changesOf(table)
  return added.length === 0 ? [] : [[insertRows(db, table, added as never), added.length]]
}
