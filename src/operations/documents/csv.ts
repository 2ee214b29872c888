/** The document list as a file (contract 12). */
import { interopLimits } from '../../contract/interop-limits.ts'
import { limits } from '../../contract/limits.ts'
import { documentFilterHints } from '../../contract/unknown-field-hints.ts'
import { DocumentFile, DocumentFileFilters } from '../../contract/shapes/document-filters.ts'
import { documentColumns } from '../../core/interop/record-csv.ts'
import { countDocuments } from '../../store/documents/document-list.ts'
import { csvDownload } from '../downloads.ts'
import { operation } from '../operation.ts'
import { validSearch } from './search-with-operators.ts'
import { listFilters, pageOf, viewedRows } from './list.ts'

export const csv = operation({
  id: 'documents.csv',
  method: 'GET',
  path: '/v1/documents.csv',
  family: 'documents',
  summary: 'Download the document list as CSV',
  description: `The rows and the order of [documents.list](#documents.list) with the same filters; a column is a field of its rows. At most ${interopLimits.downloadMaxRows} rows: more are refused.`,
  since: '1.16.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: DocumentFileFilters,
  unknownFieldHints: documentFilterHints,
  response: DocumentFile,
  mediaType: 'text/csv',
}).reads(async (call, { query }) => {
  const filters = listFilters(query)
  const { query: search } = query
  if (search !== undefined) validSearch(search, 'query')
  const request = {
    viewer: call.organization,
    filters,
    limit: limits.pageMax,
    scanMaxRows: limits.listScanMaxRows,
  }
  return csvDownload<string>(call, {
    filename: 'documents.csv',
    columns: documentColumns,
    // A search reads what the other filters leave.
    count: (by, max) =>
      countDocuments(by.read, { organization: call.organization.id, filters, max }),
    pageAfter: async (by, position) => {
      const page = await pageOf(by, query, request, position)
      const rows = await viewedRows(by, page.rows)
      const records = rows.map((pieces) => JSON.parse(pieces.join('')) as unknown)
      return { records, next: page.next === null ? null : String(page.next) }
    },
  })
})
