/** What the searches for due work have in common: whose rows they find, and by whose clock. */
import { type SqlQuery, raw } from '../database/sql.ts'

export interface DueRowsRequest {
  limit: number
  /** Only rows of these organizations; undefined = of all. */
  organizations?: readonly string[] | undefined
}

/** SQL: the time has come by the clock of the organization `o`, which may be ahead. */
export const isPast = (column: string): SqlQuery =>
  raw(`${column} <= clock_timestamp() + make_interval(secs => o.clock_offset_seconds)`)
