/** What the searches for due work have in common: whose rows they find, and by whose clock. */
import { type SqlQuery, raw, sql } from '../database/sql.ts'

/** Sandboxes whose clocks are about to move. */
export interface DueInSandboxes {
  organizations: readonly string[]
  /** What falls due within so many seconds of their clocks is found as well. */
  withinSeconds: number
}

/** By default, what is due of all organizations. */
export interface DueRowsRequest extends Partial<DueInSandboxes> {
  limit: number
}

/** SQL: how many seconds the clock of the organization `o` is ahead of the real time, then. */
export const secondsAhead = ({ withinSeconds = 0 }: DueRowsRequest): SqlQuery =>
  withinSeconds === 0
    ? sql`o.clock_offset_seconds`
    : sql`(o.clock_offset_seconds + ${withinSeconds})`

/** SQL: the time has come by the clock of the organization `o`, which may be ahead. */
export const isPast = (column: string, request: DueRowsRequest): SqlQuery =>
  sql`${raw(column)} <= pg_catalog.clock_timestamp()
    + make_interval(secs => ${secondsAhead(request)})`
