/** What the searches for due work have in common: whose rows they find, and by whose clock. */
import { columnArray } from '../database/binary-arrays.ts'
import { type SqlQuery, raw, sql } from '../database/sql.ts'

export interface DueRowsRequest {
  limit: number
  /** Only rows of these organizations; undefined = of all. */
  organizations?: readonly string[] | undefined
}

/** SQL: the column names one of the organizations that were asked for. */
export const isWanted = (column: string, { organizations }: DueRowsRequest): SqlQuery =>
  organizations === undefined
    ? sql`true`
    : sql`${raw(column)} = any(${columnArray('uuid', organizations)})`

/** SQL: the time has come by the clock of the organization `o`, which may be ahead. */
export const isPast = (column: string): SqlQuery =>
  raw(`${column} <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)`)
