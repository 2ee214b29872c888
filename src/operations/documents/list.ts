/** The document list: filters, search and pages (specification 4.3, contract 6). */
import { type Phase, phases } from '../../contract/document-phases.ts'
import { limits } from '../../contract/limits.ts'
import { DocumentFilters } from '../../contract/shapes/document-filters.ts'
import { DocumentPage } from '../../contract/shapes/documents.ts'
import { invalidRequest } from '../../contract/errors.ts'
import { documentFilterHints } from '../../contract/unknown-field-hints.ts'
import type { Call } from '../../context.ts'
import { decodeId } from '../../core/ids.ts'
import { projectionParts } from '../../core/documents/projection.ts'
import { sideOf } from '../../core/documents/document-visibility.ts'
import { documentChanges } from '../../store/documents/document-changes.ts'
import type { DocumentListFilters } from '../../store/documents/document-filters.ts'
import { listDocuments } from '../../store/documents/document-list.ts'
import type { LoadedDocument } from '../../store/documents/loaded-document.ts'
import { searchWithOperators, validSearch } from './search-with-operators.ts'
import { viewWithBlockersBy } from './replies.ts'
import { operation } from '../operation.ts'
import { changePlaceOf, cursorsOf, jsonPage, positionOfChange } from '../paging.ts'
import { dayOf, lowerBoundOf } from '../time-bounds.ts'

export const list = operation({
  id: 'documents.list',
  method: 'GET',
  path: '/v1/documents',
  family: 'documents',
  summary: 'List documents, newest first',
  workClass: ({ query }) => (query === undefined ? 'lists' : 'heavy'),
  description:
    'Overdue: `query=is:overdue`. To catch up: `sort=updated`, `updated_since`. `query` searches: every search word must be the beginning of a word in the numbers, references, counterparty name, line descriptions, SKUs or notes; names tolerate a typing error, and [operators](#searching) narrow it: `status:paid total:>1000`. Read until `next_cursor` is null.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: DocumentFilters,
  response: DocumentPage,
  unknownFieldHints: documentFilterHints,
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
    'overdue',
  ],
  toolFields: [
    'id',
    'number',
    'status',
    'issuer.name',
    'counterparty.name',
    'currency',
    'total',
    'balance_due',
    'overdue',
  ],
}).reads(async (call, { query }) => {
  const { cursor, limit, ...filters } = query
  const cursors = cursorsOf(call, 'documents', filters)
  const request = {
    viewer: call.organization,
    filters: listFilters(filters),
    limit: limit ?? limits.pageDefault,
    scanMaxRows: limits.listScanMaxRows,
  }
  const page = await pageOf(call, filters, request, cursors.open(cursor))
  return { body: jsonPage(await viewedRows(call, page.rows), cursors.seal(page.next)) }
})

/** The rows of a page as JSON, each in pieces. */
export const viewedRows = async (call: Call, rows: readonly LoadedDocument[]) => {
  const viewOf = await viewWithBlockersBy(call, rows)
  return rows.map((document) =>
    projectionParts(document, viewOf(document, sideOf(document, call.organization.id)!)),
  )
}

type PageRequest = Omit<Parameters<typeof listDocuments>[1], 'before'>

/** The page after a position; positions of changes and those of the list differ in form. */
export const pageOf = async (
  call: Call,
  { sort, query }: Pick<DocumentFilters, 'sort' | 'query'>,
  request: PageRequest,
  position: string | undefined,
) => {
  if (sort === undefined) {
    const listed = { ...request, before: position === undefined ? undefined : BigInt(position) }
    return query === undefined
      ? listDocuments(call, listed)
      : searchWithOperators(call, validSearch(query, 'query'), listed)
  }
  if (query !== undefined) throw sortedSearch()
  const page = await documentChanges(call, { ...request, after: changePlaceOf(position) })
  return { rows: page.rows, next: page.next && positionOfChange(page.next) }
}

const sortedSearch = () =>
  invalidRequest({
    param: 'sort',
    code: 'invalid_value',
    message: 'A search is always newest first.',
    fix: 'send either `sort` or `query`',
  })

export const listFilters = (
  query: Omit<DocumentFilters, 'cursor' | 'limit'>,
): DocumentListFilters => ({
  ids: query.id?.map((id) => decodeId('doc', id)!),
  connections: query.connection?.map((id) => decodeId('con', id)!),
  statuses: statusesOf(query),
  types: query.type,
  sides: query.direction && [query.direction === 'issued' ? 'issuer' : 'counterparty'],
  since: query.since && dayOf(query.since),
  until: query.until && dayOf(query.until),
  updatedSince: query.updated_since && lowerBoundOf(query.updated_since),
  currencies: query.currency,
  dueFrom: query.due_from,
  dueTo: query.due_to,
  owed: query.owed,
})

/** A status must match both filters. */
const statusesOf = ({ status, phase }: Pick<DocumentFilters, 'status' | 'phase'>) => {
  if (phase === undefined) return status
  const inPhases: readonly string[] = phase.flatMap((name) => phases[name as Phase])
  return status === undefined ? inPhases : status.filter((one) => inPhases.includes(one))
}
