/**
 * Pages of a viewer's list, newest first. With one filter a page is one index range at any depth.
 * Other combinations read at most `scanMaxRows` rows and may end short: the cursor goes on.
 */
import { type Query, type Session, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { type PackedDocument, type ReadDocument, packedColumns, unpacked } from './documents.ts'

export interface ListFilters {
  connections?: readonly string[]
  statuses?: readonly string[]
  types?: readonly string[]
  sides?: readonly string[]
  /** Document dates, inclusive. */
  since?: string
  until?: string
  /** Change time, inclusive. */
  updatedSince?: string
}

export interface ListRequest {
  organization: string
  filters: ListFilters
  /** Rows before this position; undefined = from the newest. */
  before: bigint | undefined
  limit: number
  scanMaxRows: number
}

export interface ListResult {
  rows: ReadDocument[]
  /** Where the next page starts; null when there is none. */
  next: bigint | null
}

type Listed = PackedDocument & { created: bigint }
type Condition = { column: string; query: Query }

/** Filters that have an index with `created` behind them, the most selective first. */
const indexed = [
  ['connections', 'connection_id', 'uuid'],
  ['statuses', 'status', 'text'],
  ['types', 'type', 'text'],
  ['sides', 'side', 'text'],
] as const

const conditionsOf = (filters: ListFilters): { driver: Query; others: Query[] } => {
  const equalities: Condition[] = []
  const others: Query[] = []
  for (const [name, column, type] of indexed) {
    const values = filters[name]
    if (values === undefined) continue
    if (values.length === 1) {
      equalities.push({ column, query: sql`v.${raw(column)} = ${values[0]}` })
    } else others.push(sql`v.${raw(column)} = any(${columnArray(type, values)})`)
  }
  if (filters.since !== undefined) others.push(sql`v.document_date >= ${filters.since}`)
  if (filters.until !== undefined) others.push(sql`v.document_date <= ${filters.until}`)
  if (filters.updatedSince !== undefined) others.push(sql`v.updated_at >= ${filters.updatedSince}`)
  const [first, ...rest] = equalities
  return {
    driver: first === undefined ? sql`` : sql` and ${first.query}`,
    others: [...rest.map((condition) => condition.query), ...others],
  }
}

const allOf = (conditions: readonly Query[]): Query =>
  conditions.reduce((all, next) => sql`${all} and ${next}`, sql`true`)

export const listDocuments = async (
  session: Session,
  pages: Session,
  request: ListRequest,
): Promise<ListResult> => {
  const { driver, others } = conditionsOf(request.filters)
  const scope = scanOf(request, driver)
  if (others.length === 0) return pageOf(await read(pages, scope, sql`true`, request), request)
  if (request.filters.updatedSince !== undefined) {
    const recent = await recentlyChanged(session, request)
    if (recent !== undefined) return recent
  }
  const bounded = sql`${scope} limit ${written(request.scanMaxRows)}`
  const page = pageOf(await read(session, bounded, allOf(others), request), request)
  if (page.next !== null) return page
  // A short page: it goes on behind the last row that was looked at, if there is one.
  const [last] = await session.rows<{ created: bigint }>(
    sql`select created from (${scope} offset ${written(request.scanMaxRows - 1)} limit 1) v`,
  )
  return { rows: page.rows, next: last?.created ?? null }
}

/** Of the viewer's documents at these positions those that the filters keep. */
export const documentsAt = async (
  session: Session,
  request: ListRequest,
  positions: readonly bigint[],
): Promise<ListResult> => {
  if (positions.length === 0) return { rows: [], next: null }
  const { driver, others } = conditionsOf(request.filters)
  const scope = sql`select v.* from document_views v
    where v.organization_id = ${request.organization}
      and v.created = any(${columnArray('bigint', positions)})`
  return pageOf(await read(session, scope, sql`${allOf(others)}${driver}`, request), request)
}

/** The viewer's rows from the position on, in the order of the list. */
const scanOf = ({ organization, before }: ListRequest, driver: Query): Query => {
  const position = before === undefined ? sql`` : sql` and v.created < ${before}`
  return sql`select v.* from document_views v
    where v.organization_id = ${organization}${driver}${position} order by v.created desc`
}

const read = (
  session: Session,
  scan: Query,
  condition: Query,
  { limit }: ListRequest,
): Promise<Listed[]> =>
  session.rows<Listed>(sql`
    select v.created, ${packedColumns}
    from (select v.created, v.document_id from (${scan}) v where ${condition}
          order by v.created desc limit ${written(limit + 1)}) v
    join documents d on d.id = v.document_id
    order by v.created desc`)

/**
 * A row count is written into the statement: of a limit that comes as a value the planner knows
 * nothing, and reads a tenth of the table instead of a few index entries.
 */
const written = (rows: number): Query => raw(String(rows))

/** One row more than asked for tells whether there is a next page. */
const pageOf = (rows: Listed[], { limit }: ListRequest): ListResult => ({
  rows: rows.slice(0, limit).map(unpacked),
  next: rows.length > limit ? rows[limit - 1]!.created : null,
})

/**
 * When few rows changed since, those are read by change time and sorted: no walk of the whole list.
 */
const recentlyChanged = async (
  session: Session,
  request: ListRequest,
): Promise<ListResult | undefined> => {
  const { organization, filters, scanMaxRows } = request
  const [count] = await session.rows<{ changed: bigint }>(sql`
    select count(*) as changed from (
      select 1 from document_views v
      where v.organization_id = ${organization} and v.updated_at >= ${filters.updatedSince}
      limit ${written(scanMaxRows + 1)}) v`)
  if (count!.changed > BigInt(scanMaxRows)) return undefined
  const { driver, others } = conditionsOf(filters)
  const position = request.before === undefined ? sql`` : sql` and v.created < ${request.before}`
  const changed = sql`select v.* from document_views v
    where v.organization_id = ${organization} and v.updated_at >= ${filters.updatedSince}
    order by v.updated_at offset 0`
  const condition = sql`${allOf(others)}${driver}${position}`
  return pageOf(await read(session, changed, condition, request), request)
}
