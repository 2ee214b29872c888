/** The document list: filters, pages and their cursors (specification 4.3, contract 6). */
import { hash } from 'node:crypto'
import { invalid } from '../contract/errors.ts'
import { type Phase, phases } from '../contract/document-types.ts'
import { limits } from '../contract/limits.ts'
import { DocumentFilters, DocumentPage } from '../contract/shapes/documents.ts'
import { dayAt } from '../core/calendar.ts'
import { canonicalJson } from '../core/canonical.ts'
import { openCursor, sealCursor } from '../core/cursor.ts'
import { decodeId } from '../core/ids.ts'
import { projectDocument, sideOf } from '../core/project.ts'
import { type ListFilters, listDocuments } from '../store/document-list.ts'
import { dayOf, instantOf } from './bounds.ts'
import { wrongCursor } from './cursors.ts'
import { searchDocuments } from './document-search.ts'
import { JsonText, operation } from './operation.ts'

export const list = operation({
  id: 'documents.list',
  method: 'GET',
  path: '/v1/documents',
  family: 'documents',
  summary: 'List documents, newest first',
  description:
    'Read pages until `next_cursor` is null; a short page is not the end. Sweep with `updated_since` to catch up. `query` searches: every word must begin one in the numbers, references, counterparty name, line descriptions, SKUs or notes; names forgive a typing error.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['documents:read'],
  query: DocumentFilters,
  response: DocumentPage,
}).reads(async (call, { query }) => {
  const { cursor, limit, ...filters } = query
  const scope = hash('sha256', `${call.organization.id}${canonicalJson(filters)}`, 'buffer')
  const key = call.context.keyring.cursors
  const position = cursor === undefined ? undefined : openCursor(key, scope, cursor)
  if (cursor !== undefined && position === undefined) throw invalid([wrongCursor])
  const request = {
    organization: call.organization.id,
    filters: listFilters(filters),
    before: position === undefined ? undefined : BigInt(position),
    limit: limit ?? limits.pageDefault,
    scanMaxRows: limits.listScanMaxRows,
  }
  const page =
    filters.query === undefined
      ? await listDocuments(call.read, request)
      : await searchDocuments(call.read, filters.query, request)
  const day = dayAt(Date.now(), call.organization.clockOffsetSeconds)
  const canPay = call.scopes.has('payments:write')
  const rows = page.rows.map((document) => {
    const side = sideOf(document, call.organization.id)!
    return projectDocument(document, { side, canPay, today: day })
  })
  const next = page.next === null ? null : sealCursor(key, scope, String(page.next))
  return {
    body: new JsonText(
      `{"data":[${rows.join(',')}],"next_cursor":${JSON.stringify(next)},"has_more":${next !== null}}`,
    ),
  }
})

const listFilters = (query: Omit<DocumentFilters, 'cursor' | 'limit'>): ListFilters => {
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
    ...(query.updated_since ? { updatedSince: instantOf(query.updated_since) } : {}),
  }
}

/** A status must be named and lie in a phase that is named. */
const statusesOf = ({ status, phase }: Pick<DocumentFilters, 'status' | 'phase'>) => {
  if (phase === undefined) return status
  const inPhases: readonly string[] = phase.flatMap((name) => phases[name as Phase])
  return status === undefined ? inPhases : status.filter((one) => inPhases.includes(one))
}
