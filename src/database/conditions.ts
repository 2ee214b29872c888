/** Conditions of statements, of which some depend on what was asked for. */
import { type ColumnType, type ColumnValue, columnArray } from './binary-arrays.ts'
import { type SqlQuery, raw, sql } from './sql.ts'

export const conjunction = (conditions: readonly SqlQuery[]): SqlQuery =>
  conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`)

/** The condition for a value; without one, every row meets it. */
export const ifGiven = <T>(value: T | undefined, condition: (value: T) => SqlQuery): SqlQuery =>
  value === undefined ? sql`true` : condition(value)

/** The column has one of the values, if some were asked for. */
export const isAmong = (
  column: string,
  type: ColumnType,
  values: readonly ColumnValue[] | undefined,
): SqlQuery => ifGiven(values, (all) => sql`${raw(column)} = any(${columnArray(type, all)})`)
