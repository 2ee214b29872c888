/**
 * Pages of a viewer's document list, newest first. With a single filter, a page is one index range
 * at any depth. Where few documents have changed, or few are open in a range of due dates, a page
 * reads all of those. Other combinations read at most `scanMaxRows` rows per page. A page ends with
 * the document whose content reaches `pageContentMaxBytes`: it may be short yet have a next one.
 */
import { limits } from '../../contract/limits.ts'
import type { Side } from '../../contract/document-types.ts'
import {
  type DocumentParties,
  type FeedPositions,
  type ViewerOrganization,
  visibleSideOf,
} from '../../core/documents/document-visibility.ts'
import { countOf } from '../../database/counts.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import { checkNoneTwice } from '../../database/sealed-rows.ts'
import { type Queryable, type SqlQuery, inlined, raw, sql } from '../../database/sql.ts'
import { columnArray } from '../../database/binary-arrays.ts'
import { conjunction } from '../../database/conditions.ts'
import {
  type DocumentListFilters,
  type IndexRange,
  allConditionsOf,
  conditionsOf,
  rangesOf,
} from './document-filters.ts'
import { documentReader, packedListedDocument } from './documents.ts'
import type { LoadedDocument, PackedDocument } from './loaded-document.ts'

export interface DocumentListRequest {
  viewer: ViewerOrganization
  filters: DocumentListFilters
  /** Only rows before this position; undefined = from the newest. */
  before: bigint | undefined
  limit: number
  scanMaxRows: number
}

export interface DocumentListPage {
  rows: LoadedDocument[]
  /** Where the next page starts; null when there is none. */
  next: bigint | null
}

/** `content` is null where the page is full before its limit. */
export type ListedDocument = Omit<PackedDocument, 'content'> & {
  position: bigint
  content: string | null
  /** Where the row is stored and which transaction wrote it; of a page `withVersions` only. */
  version?: string
}
/** Newest first, or oldest change first. */
type ListOrder = 'v.position desc' | 'v.updated_at, v.document_id'

/** How many of the viewer's documents match, counted up to a maximum. */
export const countDocuments = (
  db: Queryable,
  {
    organization,
    filters,
    max,
  }: { organization: string; filters: DocumentListFilters; max: number },
): Promise<number> =>
  countOf(
    db,
    sql`
    select count(*) as count from (
      select 1 from document_views v
      where v.organization_id = ${organization} and ${allConditionsOf(filters)}
      limit ${inlined(max)}) v`,
  )

export const listDocuments = async (
  { read: db, pages }: Record<'read' | 'pages', Queryable>,
  request: DocumentListRequest,
): Promise<DocumentListPage> => {
  const { driver, others } = conditionsOf(request.filters)
  const scope = scanOf(request, driver)
  if (others.length === 0)
    return pageOf(db, await readRows(pages, scope, sql`true`, request), request)
  for (const range of rangesOf(request.filters)) {
    const page = await pageOfRange(db, request, range)
    if (page !== undefined) return page
  }
  const bounded = sql`${scope} limit ${inlined(request.scanMaxRows)}`
  const page = pageOf(db, await readRows(db, bounded, conjunction(others), request), request)
  if (page.next !== null) return page
  // The page is short: the next one begins after the last scanned row, if the scan was cut off.
  const last = await db.row<{ position: bigint }>(
    sql`select position from (${scope} offset ${inlined(request.scanMaxRows - 1)} limit 1) v`,
  )
  return { rows: page.rows, next: last?.position ?? null }
}

/** The viewer's documents at these positions that match the filters. */
export const documentsAtPositions = async (
  db: Queryable,
  request: DocumentListRequest,
  positions: readonly bigint[],
): Promise<DocumentListPage> => {
  if (positions.length === 0) return { rows: [], next: null }
  const { driver, others } = conditionsOf(request.filters)
  const scope = sql`select v.* from document_views v
    where v.organization_id = ${request.viewer.id}
      and v.position = any(${columnArray('bigint', positions)})`
  return pageOf(
    db,
    await readRows(db, scope, sql`${conjunction(others)}${driver}`, request),
    request,
  )
}

/** The viewer's rows before the position, in list order. */
const scanOf = ({ viewer, before }: DocumentListRequest, driver: SqlQuery): SqlQuery => {
  const position = before === undefined ? sql`` : sql` and v.position < ${before}`
  return sql`select v.* from document_views v
    where v.organization_id = ${viewer.id}${driver}${position} order by v.position desc`
}

interface RowsRequest {
  limit: number
  order?: ListOrder
  withVersions?: boolean
}

/**
 * The process does nothing else while it makes a page, so large documents come in short pages. Few
 * pages have any, and adding up the lengths would cost all others a tenth of their time.
 */
export const readRows = async (
  db: Queryable,
  scan: SqlQuery,
  condition: SqlQuery,
  { limit, order = 'v.position desc', withVersions = false }: RowsRequest,
): Promise<ListedDocument[]> => {
  const listed = sql`(select v.position, v.document_id, v.status, v.updated_at from (${scan}) v where ${condition}
      order by ${raw(order)} limit ${inlined(limit + 1)}) v
    join documents d on d.id = v.document_id`
  const share = inlined(Math.floor(limits.pageContentMaxBytes / limit))
  const packed = withVersions
    ? sql`${packedListedDocument}, d.ctid::text || ' ' || d.xmin::text as version`
    : packedListedDocument
  const rows = await db.rows<ListedDocument>(sql`
    select v.position, ${packed},
      case when octet_length(d.content) <= ${share} then d.content end as content
    from ${listed} order by ${raw(order)}`)
  if (rows.every(({ content }) => content !== null)) return rows
  return db.rows<ListedDocument>(sql`
    select position, packed, connection, ${withVersions ? sql`version, ` : sql``}${contentThatFits}
    from (select v.position, v.updated_at, v.document_id, ${packed}, d.content,
        ${bytesBefore(order)} from ${listed}) v
    order by ${raw(order)}`)
}

/** How long the contents are that precede this one on the page. */
const bytesBefore = (order: string): SqlQuery =>
  raw(`coalesce(sum(octet_length(d.content)) over (order by ${order}
  rows between unbounded preceding and 1 preceding), 0) as bytes_before`)

const contentThatFits = raw(
  `case when bytes_before < ${limits.pageContentMaxBytes} then content end as content`,
)

/**
 * The viewer's side of a document that its list has at the position. The row of the list has no
 * seal: a second row of a document, or one of what the viewer must not see, is not of the service.
 */
export const listedSideOf = (
  document: DocumentParties & FeedPositions & { id: string },
  viewer: ViewerOrganization,
  position: bigint,
): Side => {
  const side = visibleSideOf(document, viewer)
  if (side === undefined || document[`${side}_position`] !== position)
    throw new BrokenSeal('document_views', document.id, 'a row of a list was made up')
  return side
}

/**
 * Reads a page, and throws BrokenSeal like `documentReader` and `listedSideOf`, or if a document is
 * there twice. A row that does not fit, by number or by length, shows that there is a next page.
 */
export const pageOf = (
  { seals }: Queryable,
  rows: readonly ListedDocument[],
  { viewer, limit }: Pick<DocumentListRequest, 'viewer' | 'limit'>,
): DocumentListPage => {
  const page: LoadedDocument[] = []
  let next: DocumentListPage['next'] = null
  const read = documentReader(seals)
  for (const row of rows) {
    const { content } = row
    if (page.length === limit || content === null) {
      next = rows[page.length - 1]!.position
      break
    }
    const document = read({ ...row, content })
    listedSideOf(document, viewer, row.position)
    page.push(document)
  }
  checkNoneTwice('documents', page)
  return { rows: page, next }
}

/** If few rows are in the range, reads and sorts those instead of scanning the list. */
const pageOfRange = async (
  db: Queryable,
  request: DocumentListRequest,
  { condition: range, order }: IndexRange,
): Promise<DocumentListPage | undefined> => {
  const { viewer, filters, scanMaxRows } = request
  const counted = await db.row<{ count: bigint }>(sql`
    select count(*) as count from (
      select 1 from document_views v
      where v.organization_id = ${viewer.id} and ${range}
      limit ${inlined(scanMaxRows + 1)}) v`)
  if (counted!.count > BigInt(scanMaxRows)) return undefined
  const { driver, others } = conditionsOf(filters)
  const position = request.before === undefined ? sql`` : sql` and v.position < ${request.before}`
  const rows = sql`select v.* from document_views v
    where v.organization_id = ${viewer.id} and ${range}
    order by ${order} offset 0`
  const condition = sql`${conjunction(others)}${driver}${position}`
  return pageOf(db, await readRows(db, rows, condition, request), request)
}
