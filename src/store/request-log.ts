/**
 * The request log that admins read. On the request path it costs one push into a bounded buffer; a
 * timer writes the buffer in one statement without waiting for the disk. Calls that do not fit are
 * lost and counted: the log helps to find mistakes and is not a record.
 */
import { limits } from '../contract/limits.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Database } from '../database/pool.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../database/sql.ts'
import type { Rows } from '../database/rows.ts'
import { insertRows } from '../database/table-writes.ts'
import { conjunction, ifGiven, isAmong } from '../database/conditions.ts'
import { columnArray } from '../database/binary-arrays.ts'

export type RequestRow = Rows['requests']

/**
 * The code of a refusal, which begins its text. PostgreSQL refuses to read JSON that quotes a NUL,
 * as one of an id with %00 does, and no caller may end the statements of others that way.
 */
export const errorCode = sql`substring(error from '^[{]"code":"([a-z_]+)"')`

export interface RequestLog {
  /** Calls `request` for the row only if there is room for it. */
  note(organization: string, request: () => RequestRow): void
  stop(): Promise<void>
}

/** Why a call is missing from the log. */
export const lossReasons = ['buffer_full', 'organization_cap', 'not_written'] as const
export type LossReason = (typeof lossReasons)[number]

export const openRequestLog = (
  database: Database,
  log: Logger,
  onLoss: (reason: LossReason, count: number) => void,
): RequestLog => {
  let buffer: RequestRow[] = []
  const counts = new Map<string, number>()
  let flushes = 0
  const write = async (): Promise<void> => {
    flushes += 1
    if (flushes % limits.requestLogFlushesPerWindow === 0) counts.clear()
    if (buffer.length === 0) return
    const rows = buffer
    buffer = []
    try {
      await database.transaction((tx) => insertRequests(tx, rows))
    } catch (error) {
      onLoss('not_written', rows.length)
      log.error({ error }, 'requests_not_written')
    }
  }
  let writing = Promise.resolve()
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, limits.requestLogFlushEveryMs)
  timer.unref()
  return {
    note: (organization, request) => {
      if (buffer.length >= limits.requestLogBufferMax) return onLoss('buffer_full', 1)
      const count = (counts.get(organization) ?? 0) + 1
      if (count > limits.requestLogPerOrganizationMax) return onLoss('organization_cap', 1)
      counts.set(organization, count)
      buffer.push(request())
    },
    stop: async () => {
      clearInterval(timer)
      await writing.then(write)
    },
  }
}

const insertRequests = async (tx: Queryable, rows: readonly RequestRow[]): Promise<void> => {
  // A crash may lose the last second of this log; in return, it never waits for the disk.
  await tx.run(sql`set local synchronous_commit = off`)
  await insertRows(tx, 'requests', rows)
}

export interface RequestLogFilters {
  keys?: readonly string[] | undefined
  statuses?: readonly number[] | undefined
  errorCodes?: readonly string[] | undefined
  isReplay?: boolean | undefined
  /** An exact path, or a prefix if it ends with a star. */
  path?: string | undefined
}

export interface RequestLogRange {
  /** Only requests with a lower id. */
  before: string | undefined
  /** Only requests with this id or a higher one. */
  from: string | undefined
  /** Only requests with a lower id than this one. */
  to: string | undefined
  limit: number
}

export interface RequestLogPage {
  rows: RequestRow[]
  /** The row after which the next page begins; null at the end. */
  next: string | null
}

/** The rows are stored up to a week longer. None is of the future. */
export const isRetained = raw(
  `id between first_uuid_at(now() - interval '${limits.requestRetentionDays} days')
    and first_uuid_at(now() + interval '1 day')`,
)

/** Reads a bounded number of rows, so a page may be short yet have a next one. */
export const loggedRequests = async (
  db: Queryable,
  organization: string,
  filters: RequestLogFilters,
  { before, from, to, limit }: RequestLogRange,
): Promise<RequestLogPage> => {
  const range = sql`
    from requests where organization_id = ${organization} and ${isRetained}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
      ${from === undefined ? sql`` : sql`and id >= ${from}`}
      ${to === undefined ? sql`` : sql`and id < ${to}`}
    order by id desc`
  const scan = limits.listScanMaxRows
  const matches = await db.rows<RequestRow>(sql`
    select * from (select * ${range} limit ${inlined(scan)}) r
    where ${conditionOf(filters)} order by id desc limit ${limit + 1}`)
  const rows = matches.slice(0, limit)
  if (matches.length > limit) return { rows, next: rows.at(-1)!.id }
  const lastScanned = await db.row<{ id: string }>(
    sql`select id ${range} offset ${inlined(scan - 1)} limit 1`,
  )
  return { rows, next: lastScanned?.id ?? null }
}

const conditionOf = (filters: RequestLogFilters): SqlQuery =>
  conjunction([
    isAmong('key_id', 'uuid', filters.keys),
    isAmong('status', 'integer', filters.statuses),
    ifGiven(filters.errorCodes, (codes) => sql`${errorCode} = any(${columnArray('text', codes)})`),
    ifGiven(filters.isReplay, (is) => sql`(original_request_id is not null) = ${is}`),
    ifGiven(filters.path, (path) =>
      path.endsWith('*') ? sql`starts_with(path, ${path.slice(0, -1)})` : sql`path = ${path}`,
    ),
  ])

export const requestById = (
  db: Queryable,
  organization: string,
  id: string,
): Promise<RequestRow | undefined> =>
  db.row(sql`
    select * from requests where organization_id = ${organization} and id = ${id} and ${isRetained}`)

/** Deletes requests with an id below `before`, where no partition was dropped with them. */
export const purgeRequests = (db: Queryable, before: string, limit: number): Promise<number> =>
  db.run(sql`
    delete from requests where id < ${before} and (organization_id, id) in
      (select organization_id, id from requests where id < ${before} limit ${limit})`)
