/** The document list: filters, search and pages (specification 4.3, contract 6). */
import { type Phase, phases } from '../contract/document-types.ts'
import { limits } from '../contract/limits.ts'
import { DocumentFilters, DocumentPage } from '../contract/shapes/documents.ts'
import { decodeId } from '../core/ids.ts'
import { projectionParts } from '../core/documents/projection.ts'
import { sideOf } from '../core/documents/document-visibility.ts'
import { type DocumentListFilters, listDocuments } from '../store/documents/document-list.ts'
import { searchDocuments } from './document-search.ts'
import { viewWithBlockersBy } from './document-replies.ts'
import { operation } from './operation.ts'
import { cursorsOf, jsonPage } from './paging.ts'
import { dayOf, lowerBoundOf } from './time-bounds.ts'

export const list = operation({
  id: 'documents.list',
  method: 'GET',
  path: '/v1/documents',
  family: 'documents',
  summary: 'List documents, newest first',
  workClass: ({ query }) => (query === undefined ? 'lists' : 'heavy'),
  description:
    'Request pages until `next_cursor` is null; a short page is not the end. Use `updated_since` to catch up on changes. `query` searches: every search word must be the beginning of a word in the numbers, references, counterparty name, line descriptions, SKUs or notes; names tolerate a typing error.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: DocumentFilters,
  response: DocumentPage,
  summaryFields: [
    'id',
    'document_type',
    'number',
    'status',
    'direction',
    'issuer.name',
    'counterparty.name',
    'currency',
    'total',
    'balance_due',
    'due_date',
  ],
}).reads(async (call, { query }) => {
  const { cursor, limit, ...filters } = query
  const cursors = cursorsOf(call, 'documents', filters)
  const position = cursors.open(cursor)
  const request = {
    organization: call.organization.id,
    filters: listFilters(filters),
    before: position === undefined ? undefined : BigInt(position),
    limit: limit ?? limits.pageDefault,
    scanMaxRows: limits.listScanMaxRows,
  }
  const page =
    filters.query === undefined
      ? await listDocuments(call, request)
      : await searchDocuments(call.pages, filters.query, request)
  const viewOf = await viewWithBlockersBy(call, page.rows)
  const rows = page.rows.map((document) =>
    projectionParts(document, viewOf(document, sideOf(document, call.organization.id)!)),
  )
  return { body: jsonPage(rows, cursors.seal(page.next)) }
})

const listFilters = (query: Omit<DocumentFilters, 'cursor' | 'limit'>): DocumentListFilters => {
  const statuses = statusesOf(query)
  return {
    ...(query.connection
      ? { connections: query.connection.map((id) => decodeId('con', id)!) }
      : {}),
    ...(statuses ? { statuses } : {}),
    ...(query.type ? { types: query.type } : {}),
    ...(query.direction
      ? { sides: [query.direction === 'issued' ? 'issuer' : 'counterparty'] }
      : {}),
    ...(query.since ? { since: dayOf(query.since) } : {}),
    ...(query.until ? { until: dayOf(query.until) } : {}),
    ...(query.updated_since ? { updatedSince: lowerBoundOf(query.updated_since) } : {}),
  }
}

/** A status must match both filters. */
const statusesOf = ({ status, phase }: Pick<DocumentFilters, 'status' | 'phase'>) => {
  if (phase === undefined) return status
  const inPhases: readonly string[] = phase.flatMap((name) => phases[name as Phase])
  return status === undefined ? inPhases : status.filter((one) => inPhases.includes(one))
}
