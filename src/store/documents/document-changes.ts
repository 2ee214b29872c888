/**
 * Pages of a viewer's documents in the order of their last change, oldest first (contract 6). Each
 * page is one index range; the few documents that share a change time are sorted by id. What
 * changes during the walk comes again at its end, because a change time is later than those of all
 * earlier transactions (changes/organization-counters.ts).
 */
import type { ViewerOrganization } from '../../core/documents/document-visibility.ts'
import { type Queryable, type SqlQuery, inlined, sql } from '../../database/sql.ts'
import { type DocumentListFilters, allConditionsOf } from './document-filters.ts'
import { pageOf, readRows } from './document-list.ts'
import type { LoadedDocument } from './loaded-document.ts'

/** The place of a document in the order of changes. */
export interface ChangePlace {
  updated_at: string
  id: string
}

export interface DocumentChangesRequest {
  viewer: ViewerOrganization
  filters: DocumentListFilters
  /** Only what comes after this place; undefined = from the oldest change. */
  after: ChangePlace | undefined
  limit: number
  scanMaxRows: number
}

export interface DocumentChangesPage {
  rows: LoadedDocument[]
  /** Where the next page starts; null when there is none. */
  next: ChangePlace | null
}

export const documentChanges = async (
  { read: db, pages }: Record<'read' | 'pages', Queryable>,
  request: DocumentChangesRequest,
): Promise<DocumentChangesPage> => {
  const { filters, scanMaxRows } = request
  const { updatedSince: _, ...others } = filters
  const scan = scanOf(request)
  if (Object.keys(others).length === 0) {
    return changesPage(
      pageOf(pages, await readRows(pages, scan, sql`true`, byChange(request)), request),
    )
  }
  const bounded = sql`${scan} limit ${inlined(scanMaxRows)}`
  const rows = await readRows(db, bounded, allConditionsOf(others), byChange(request))
  const page = pageOf(db, rows, request)
  if (page.next !== null) return changesPage(page)
  // The page is short: the next one begins after the last scanned row, if the scan was cut off.
  const last = await db.row<ChangePlace>(sql`
    select v.updated_at, v.document_id as id
    from (${scan} offset ${inlined(scanMaxRows - 1)} limit 1) v`)
  return { rows: page.rows, next: last ?? null }
}

const byChange = ({ limit }: DocumentChangesRequest) =>
  ({ limit, order: 'v.updated_at, v.document_id' }) as const

const changesPage = ({
  rows,
  next,
}: {
  rows: LoadedDocument[]
  next: bigint | null
}): DocumentChangesPage => {
  const last = rows.at(-1)
  return {
    rows,
    next: next === null || last === undefined ? null : { updated_at: last.updated_at, id: last.id },
  }
}

/** The viewer's rows after the place, in the order of changes. */
const scanOf = ({ viewer, filters, after }: DocumentChangesRequest): SqlQuery => {
  const since =
    filters.updatedSince === undefined ? sql`` : sql` and v.updated_at >= ${filters.updatedSince}`
  const rest =
    after === undefined
      ? sql``
      : sql` and v.updated_at >= ${after.updated_at}
          and (v.updated_at, v.document_id) > (${after.updated_at}, ${after.id}::uuid)`
  return sql`select v.* from document_views v
    where v.organization_id = ${viewer.id}${since}${rest}
    order by v.updated_at, v.document_id`
}
