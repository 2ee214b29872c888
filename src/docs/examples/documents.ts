/**
 * The example story: a timber shop bills a café. The same code that serves documents generates the
 * example responses, so that they cannot drift from it.
 */
import { type DocumentReference, buildContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import { projectDocument } from '../../core/documents/projection.ts'
import type { DocumentRecord } from '../../core/documents/document-record.ts'
import type { Side } from '../../contract/document-types.ts'
import type { DocumentCreate, TransitionRequest } from '../../contract/shapes/documents.ts'
import { csvRow } from '../../core/interop/csv.ts'
import { documentColumns, recordRow } from '../../core/interop/record-csv.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import { type Example, exampleIds, page } from './ids.ts'
import { paidDocument } from './payments.ts'

export const exampleInvoice: DocumentCreate = {
  connection_id: exampleIds.connection,
  document_type: 'invoice',
  line_items: [
    {
      description: 'Oak shelf, 1.8 m',
      quantity: 12,
      unit_price: 89.5,
      tax_rate: 0.08,
      sku: 'OAK-180',
      discount_type: 'percent',
      discount_value: 10,
    },
    { description: 'Delivery', quantity: 1, unit_price: 45, tax_rate: 0 },
  ],
  currency: 'EUR',
  payment_terms: 'Net 30',
  notes: 'Thank you for your order of 12 November.',
  external_refs: { issuer_ref: 'SO-2026-0117' },
}

const recordOf = (
  request: DocumentCreate,
  documentDate: string,
  references: readonly DocumentReference[] = [],
): DocumentRecord => {
  const terms = deriveTerms({ payment_terms: request.payment_terms, document_date: documentDate })
  const result = computeTotals(request.line_items)
  if (!terms.ok || !result.ok) throw new Error('the example document is valid')
  const content = buildContent(
    { ...terms, document_date: documentDate, valid_until: null },
    {
      currency: request.currency ?? 'EUR',
      notes: request.notes ?? null,
      external_refs: request.external_refs ?? {},
      references,
      issuer: { organization_id: exampleIds.issuer, name: 'Bright Timber' },
      counterparty: { organization_id: exampleIds.counterparty, name: 'Harbour Café' },
    },
    request.line_items,
    result.totals,
  )
  return {
    id: decodeId('doc', exampleIds.document) ?? '',
    connection_id: decodeId('con', exampleIds.connection) ?? '',
    issuer_id: decodeId('org', exampleIds.issuer) ?? '',
    counterparty_id: decodeId('org', exampleIds.counterparty) ?? '',
    type: request.document_type,
    status: 'draft',
    origin: 'api',
    revision: 1,
    issuer_number: 'INV-000042',
    counterparty_number: null,
    party_profiles: null,
    due_date: terms.due_date,
    valid_until: null,
    total: result.totals.total,
    amount_paid: 0n,
    amount_credited: 0n,
    derived_count: 0,
    content: JSON.stringify(content),
    metadata: '{}',
    dispute: null,
    payment: null,
    finance: null,
    issued_at: null,
    created_at: '2026-11-21T09:12:04.512Z',
    updated_at: '2026-11-21T09:12:04.512Z',
    is_frozen: false,
    head_seq: 1,
    counterparty_events: 0,
  }
}

const draft = recordOf(exampleInvoice, '2026-11-21')
const submitted: DocumentRecord = {
  ...draft,
  status: 'submitted',
  revision: 2,
  counterparty_number: 'BILL-000019',
  issued_at: '2026-11-21T09:12:31.077Z',
  updated_at: '2026-11-21T09:12:31.077Z',
}
const approved: DocumentRecord = {
  ...submitted,
  status: 'approved',
  revision: 3,
  updated_at: '2026-11-21T14:40:10.930Z',
}

const credited = recordOf({ ...exampleInvoice, document_type: 'credit_note' }, '2026-11-22', [
  { rel: 'credits', document_id: exampleIds.document },
])

const projectionFor = (side: Side, document: DocumentRecord): Record<string, unknown> => {
  const today = '2026-11-21'
  const blockers = document.status === 'draft' ? [] : undefined
  const viewer = { side, canPay: true, today, issuerToday: today, blockers }
  return JSON.parse(projectDocument(document, viewer)) as Record<string, unknown>
}

/** The same invoice in several states, each as one side sees it. */
export const exampleDocuments = {
  draft: projectionFor('issuer', draft),
  invoice: projectionFor('issuer', submitted),
  bill: projectionFor('counterparty', submitted),
  approvedBill: projectionFor('counterparty', approved),
  paidBill: projectionFor('counterparty', paidDocument(approved)),
}

const creditNote = projectionFor('issuer', {
  ...credited,
  id: decodeId('doc', exampleIds.creditNote) ?? '',
  issuer_number: 'CRN-000003',
})

const csvExample =
  csvRow(documentColumns) + recordRow(exampleDocuments.approvedBill, documentColumns)

/** As both sides get it. */
const rendered = {
  document_type: 'invoice',
  number: 'INV-000042',
  draft: false,
  sandbox: true,
  ...(JSON.parse(submitted.content) as object),
}

const edited = { ...exampleInvoice, notes: 'Delivered on 20 November.' }
const transition: TransitionRequest = { to: 'approved', note: 'Matches our order.' }

export const documentExamples: Readonly<Record<string, Example>> = {
  'documents.list': {
    query: 'status=submitted,approved&limit=2',
    response: page(exampleDocuments.bill),
  },
  'documents.get': { response: exampleDocuments.bill },
  'documents.create': { body: exampleInvoice, response: exampleDocuments.draft },
  'documents.update': {
    body: { notes: edited.notes },
    response: projectionFor('issuer', { ...recordOf(edited, '2026-11-21'), revision: 2 }),
  },
  'documents.issue': { response: exampleDocuments.invoice },
  'documents.transition': { body: transition, response: exampleDocuments.approvedBill },
  'documents.transitions': {
    response: {
      status: 'approved',
      allowed: [
        { to: 'disputed', scopes: ['documents:write'] },
        { to: 'payment_scheduled', scopes: ['documents:write', 'payments:write'] },
        { to: 'paid', scopes: ['documents:write', 'payments:write'] },
      ],
      waiting_on: 'counterparty',
    },
  },
  'documents.pay': { response: exampleDocuments.paidBill },
  'documents.render': { response: rendered },
  'documents.csv': { query: 'status=approved&since=2026-11-01', response: csvExample },
  'documents.checks': {
    query: 'format=ubl',
    response: {
      problems: [
        {
          rule: 'PEPPOL-EN16931-R010',
          field: 'counterparty.electronic_address',
          message: 'The buyer needs electronic_address in its profile for this format.',
          fatal: true,
        },
      ],
    },
  },
  'documents.import': {
    body: { file: 'invoice.xml', connection_id: exampleInvoice.connection_id },
    response: {
      ...exampleDocuments.draft,
      import: {
        format: 'ubl',
        understood: [
          { field: 'document_date', term: 'BT-2', value: '2026-11-21' },
          { field: 'issuer.name', term: 'BT-27', value: 'Bright Timber' },
          { field: 'total', term: 'BT-112', value: '1088.93' },
          { field: 'line_items[0].quantity', term: 'BT-129', value: '12' },
        ],
        ignored: [{ source: 'Invoice/ContractDocumentReference/ID', value: '2025-17' }],
        warnings: [
          {
            code: 'buyer_differs',
            field: 'counterparty.name',
            message:
              'The buyer in the file is not the other side of the connection, to whom the draft is addressed.',
            file: 'Harbour Caf\u00e9 GmbH',
            record: 'Demo Counterparty',
          },
        ],
      },
    },
  },
  'documents.convert': { body: { document_type: 'credit_note' }, response: creditNote },
}
