/** Where a search looks: which records a caller may find, and what of them is searched. */
import type { Call } from '../context.ts'
import type { Family } from '../contract/families.ts'
import { limits } from '../contract/limits.ts'
import type { Scope } from '../contract/scopes.ts'
import type { SearchHit, SearchedType } from '../contract/shapes/search.ts'
import { type DocumentTypeName, documentTypes, otherSideOf } from '../contract/document-types.ts'
import { parseContent } from '../core/documents/content.ts'
import { sideOf, visibleSideOf } from '../core/documents/document-visibility.ts'
import { connectionStatuses } from '../core/identity/connection-lifecycle.ts'
import { decodeId, encodeId } from '../core/ids.ts'
import { isOfAnyRecord } from '../core/documents/search-restrictions.ts'
import type { AmountOwner } from '../core/documents/search-amounts.ts'
import { queryAmounts } from '../core/documents/search-terms.ts'
import { type SearchField, amountText } from '../core/search-ranking.ts'
import type { DocumentListPage } from '../store/documents/document-list.ts'
import type { LoadedDocument } from '../store/documents/loaded-document.ts'
import { connectionsOf } from '../store/identity/connections.ts'
import { keysOf } from '../store/identity/keys.ts'
import { type PaymentRow, paymentById, paymentsOfAmounts } from '../store/payments/payments.ts'
import { requestById } from '../store/request-log.ts'
import { endpointsOf } from '../store/webhooks/endpoints.ts'
import { viewerOf } from './identity/connections.ts'
import { type ValidSearch, searchWithOperators } from './documents/search-with-operators.ts'
import { documentOf } from './documents/document-lookup.ts'

export type FoundRecord = Pick<SearchHit, 'object' | 'id' | 'title' | 'subtitle'> & {
  fields: readonly SearchField[]
}

export interface FoundRecords {
  records: readonly FoundRecord[]
  /** Older records were not looked at. */
  isCut: boolean
}

export interface Source {
  family: Family
  /** Who may find these records: callers with the scope, or admins. */
  scope?: Scope
  isForAdmins?: boolean
  find: (call: Call, search: ValidSearch) => Promise<FoundRecords>
  /** It checks the operators itself. */
  takesOperators?: true
}

const newest = { before: undefined, limit: limits.searchOtherRecordsMax + 1 }

const newestOf = <Row>(rows: readonly Row[], view: (row: Row) => FoundRecord): FoundRecords => ({
  records: rows.slice(0, limits.searchOtherRecordsMax).map(view),
  isCut: rows.length > limits.searchOtherRecordsMax,
})

const allOf = (records: readonly FoundRecord[]): FoundRecords => ({ records, isCut: false })

/** The id that the text is, however it is written. */
const idIn = (prefix: 'doc' | 'pay' | 'req', { text }: ValidSearch): string | undefined =>
  decodeId(prefix, text.toLowerCase())

const foundDocument = (document: LoadedDocument, organization: string): FoundRecord => {
  const side = sideOf(document, organization)!
  const content = parseContent(document.content)
  const party = side === 'issuer' ? content.counterparty : content.issuer
  const number = (side === 'issuer' ? document.issuer_number : document.counterparty_number)!
  const total = amountText(document.total, content.currency)
  const type = documentTypes[document.type as DocumentTypeName]
  const id = encodeId('doc', document.id)
  const text = (field: string, value: string | null | undefined): SearchField => ({
    field,
    value: value ?? '',
    kind: 'text',
  })
  return {
    object: 'document',
    id,
    title: `${number} · ${party.name}`,
    subtitle: `${type[side].label}, ${document.status}, ${total}`,
    fields: [
      { field: 'number', value: number, kind: 'reference' },
      { field: 'issuer_number', value: document.issuer_number, kind: 'reference' },
      idField(id),
      ...Object.entries(content.external_refs).map(([name, value]) => ({
        field: `external_refs.${name}`,
        value,
        kind: 'reference' as const,
      })),
      { field: 'total', value: total, kind: 'amount' },
      { field: otherSideOf(side), value: party.name, kind: 'name' },
      ...content.line_items.flatMap(({ description, sku }) => [
        text('line_items', description),
        text('line_items', sku),
      ]),
      text('notes', content.notes),
    ],
  }
}

const findDocuments = async (call: Call, search: ValidSearch): Promise<FoundRecords> => {
  const organization = call.organization.id
  const uuid = search.restrictions.length > 0 ? undefined : idIn('doc', search)
  if (uuid !== undefined) {
    const found = await documentOf(call, uuid)
    const isVisible = found !== undefined && visibleSideOf(found, call.organization) !== undefined
    return allOf(isVisible ? [foundDocument(found, organization)] : [])
  }
  const { rows, next } = await newestDocuments(call, search, 'document')
  return { records: rows.map((row) => foundDocument(row, organization)), isCut: next !== null }
}

/** A page may be short, since it ends where the scan did: the next ones complete it. */
const newestDocuments = async (
  call: Call,
  search: ValidSearch,
  owner: AmountOwner,
): Promise<DocumentListPage> => {
  const rows: LoadedDocument[] = []
  let before: bigint | undefined
  for (let pages = 0; pages < limits.searchPagesMax; pages += 1) {
    const limit = limits.searchResultsMax - rows.length
    const page = await searchWithOperators(call, search, {
      viewer: call.organization,
      filters: {},
      before,
      limit,
      scanMaxRows: limits.listScanMaxRows,
      owner,
    })
    rows.push(...page.rows)
    if (page.next === null) return { rows, next: null }
    before = page.next
    if (rows.length === limits.searchResultsMax) break
  }
  return { rows, next: before! }
}

const foundPayment = ({ id, amount, currency, status }: PaymentRow): FoundRecord => {
  const title = amountText(amount, currency)
  const fields: SearchField[] = [
    idField(encodeId('pay', id)),
    { field: 'amount', value: title, kind: 'amount' },
  ]
  return { object: 'payment', id: encodeId('pay', id), title, subtitle: status, fields }
}

/** A payment by its id, or by its amount and what else is said of its document. */
const findPayments = async (call: Call, search: ValidSearch): Promise<FoundRecords> => {
  if (!search.restrictions.every(isOfAnyRecord)) return allOf([])
  const organization = call.organization.id
  const uuid = idIn('pay', search)
  if (uuid !== undefined) {
    const found = await paymentById(call.read, organization, uuid)
    return allOf(found === undefined ? [] : [foundPayment(found)])
  }
  const amounts = queryAmounts(search.text).map(({ minor }) => minor)
  if (amounts.length === 0) return allOf([])
  const { rows, next } = await newestDocuments(call, search, 'payment')
  const documents = rows.map(({ id }) => id)
  const limit = limits.searchResultsMax + 1
  const payments = await paymentsOfAmounts(call.read, organization, { documents, amounts, limit })
  return { records: payments.map(foundPayment), isCut: next !== null }
}

const idField = (value: string): SearchField => ({ field: 'id', value, kind: 'id' })

export const sources: Readonly<Record<SearchedType, Source>> = {
  document: {
    family: 'documents',
    scope: 'documents:read',
    find: findDocuments,
    takesOperators: true,
  },
  connection: {
    family: 'documents',
    scope: 'documents:read',
    find: async (call) => {
      const page = { statuses: connectionStatuses, ...newest }
      return newestOf(await connectionsOf(call.read, viewerOf(call), page), (row) => {
        const name = row.party_name ?? row.email ?? ''
        const id = encodeId('con', row.id)
        return {
          object: 'connection',
          id,
          title: name,
          subtitle: row.status,
          fields: [idField(id), { field: 'counterparty', value: name, kind: 'name' }],
        }
      })
    },
  },
  payment: { family: 'payments', scope: 'payments:read', find: findPayments, takesOperators: true },
  key: {
    family: 'keys',
    scope: 'keys:manage',
    isForAdmins: true,
    find: async (call) =>
      newestOf(await keysOf(call.read, call.organization.id, newest), ({ id, name, prefix }) => ({
        object: 'key',
        id: encodeId('key', id),
        title: name,
        subtitle: prefix,
        fields: [
          idField(encodeId('key', id)),
          { field: 'prefix', value: prefix, kind: 'reference' },
          { field: 'name', value: name, kind: 'name' },
        ],
      })),
  },
  webhook: {
    family: 'webhooks',
    scope: 'webhooks:manage',
    isForAdmins: true,
    find: async (call) =>
      newestOf(await endpointsOf(call.read, call.organization.id, newest), (endpoint) => ({
        object: 'webhook',
        id: encodeId('whk', endpoint.id),
        title: endpoint.url,
        subtitle: endpoint.description,
        fields: [
          idField(encodeId('whk', endpoint.id)),
          { field: 'url', value: endpoint.url, kind: 'name' },
          { field: 'description', value: endpoint.description ?? '', kind: 'text' },
        ],
      })),
  },
  request: {
    family: 'keys',
    isForAdmins: true,
    find: async (call, search) => {
      const uuid = idIn('req', search)
      const row = uuid && (await requestById(call.read, call.organization.id, uuid))
      if (!row) return allOf([])
      const title = `${row.method} ${row.path}`
      const subtitle = String(row.status)
      const id = encodeId('req', row.id)
      return allOf([{ object: 'request', id, title, subtitle, fields: [idField(id)] }])
    },
  },
}
