/**
 * One story in examples: a timber shop bills a café. Bodies are data; document answers are made by
 * the code that answers, so they cannot drift from it.
 */
import { type DocumentReference, buildContent } from '../../core/documents/content.ts'
import { decodeId } from '../../core/ids.ts'
import { type DocumentRecord, projectDocument } from '../../core/documents/projection.ts'
import { currencies } from '../../contract/currencies.ts'
import type { Side } from '../../contract/document-types.ts'
import { families, familyNames } from '../../contract/families.ts'
import { type QuotaName, quotaDefaults } from '../../contract/quotas.ts'
import type { DocumentCreate, TransitionRequest } from '../../contract/shapes/documents.ts'
import type { KeyCreate } from '../../contract/shapes/keys.ts'
import { version } from '../../contract/version.ts'
import { deriveTerms } from '../../core/documents/payment-terms.ts'
import { computeTotals } from '../../core/documents/totals.ts'
import { type Example, exampleIds } from './ids.ts'
import { connectionExamples } from './connections.ts'
import { paymentExamples, paidDocument } from './payments.ts'
import { webhookExamples } from './webhooks.ts'

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
  given: DocumentCreate,
  documentDate: string,
  references: readonly DocumentReference[] = [],
): DocumentRecord => {
  const terms = deriveTerms({ payment_terms: given.payment_terms, document_date: documentDate })
  const result = computeTotals(given.line_items)
  if (!terms.ok || !result.ok) throw new Error('the example is a document that the service takes')
  const content = buildContent(
    { ...terms, document_date: documentDate, valid_until: null },
    {
      currency: given.currency ?? 'EUR',
      notes: given.notes ?? null,
      external_refs: given.external_refs ?? {},
      references,
      issuer: { organization_id: exampleIds.issuer, name: 'Bright Timber' },
      counterparty: { organization_id: exampleIds.counterparty, name: 'Harbour Café' },
    },
    given.line_items,
    result.totals,
  )
  return {
    id: decodeId('doc', exampleIds.document) ?? '',
    connection_id: decodeId('con', exampleIds.connection) ?? '',
    issuer_id: decodeId('org', exampleIds.issuer) ?? '',
    counterparty_id: decodeId('org', exampleIds.counterparty) ?? '',
    type: given.document_type,
    status: 'draft',
    origin: 'api',
    revision: 1,
    issuer_number: 'INV-000042',
    counterparty_number: null,
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
    issued_at: null,
    created_at: '2026-11-21T09:12:04.512Z',
    updated_at: '2026-11-21T09:12:04.512Z',
    is_frozen: false,
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

const seenBy = (side: Side, document: DocumentRecord): Record<string, unknown> => {
  const viewer = { side, canPay: true, today: '2026-11-21' }
  return JSON.parse(projectDocument(document, viewer)) as Record<string, unknown>
}

/** The invoice before it was issued and after, as one side sees it. */
export const exampleDocuments = {
  draft: seenBy('issuer', draft),
  invoice: seenBy('issuer', submitted),
  bill: seenBy('counterparty', submitted),
  approvedBill: seenBy('counterparty', approved),
}

const creditNote = seenBy('issuer', {
  ...credited,
  id: decodeId('doc', exampleIds.creditNote) ?? '',
  issuer_number: 'CRN-000003',
})

const quota = (name: QuotaName, left: number, resets_at: string | null) => {
  const limit = quotaDefaults[name]
  return { quota: name, limit, used: limit - left, left, resets_at }
}

const keyRequest: KeyCreate = {
  name: 'Accounting export',
  scopes: ['documents:read', 'documents:write', 'payments:write'],
  expires_at: '2027-11-21T00:00:00.000Z',
  allowed_cidrs: ['203.0.113.0/24'],
  payment_limits: { max_per_payment: 2500, daily_volume: 10000 },
}

const key = {
  id: exampleIds.key,
  ...keyRequest,
  prefix: 'rk_test_dx1_4kTn2Qbx',
  status: 'active',
  last_used_at: null,
  revoked_at: null,
  created_at: '2026-11-21T09:10:00.000Z',
  sandbox: true,
}

const edited = { ...exampleInvoice, notes: 'Delivered on 20 November.' }
const transition: TransitionRequest = { to: 'approved', note: 'Matches our order.' }

/** Operation id → how it is called and what it answers. What has no row is shown without a body. */
export const examples: Readonly<Record<string, Example>> = {
  'documents.list': {
    query: 'status=submitted,approved&limit=2',
    answer: { data: [exampleDocuments.bill], next_cursor: null, has_more: false },
  },
  'documents.get': { answer: exampleDocuments.bill },
  'documents.create': { body: exampleInvoice, answer: exampleDocuments.draft },
  'documents.update': {
    body: { notes: edited.notes },
    answer: seenBy('issuer', { ...recordOf(edited, '2026-11-21'), revision: 2 }),
  },
  'documents.issue': { answer: exampleDocuments.invoice },
  'documents.transition': { body: transition, answer: exampleDocuments.approvedBill },
  'documents.transitions': {
    answer: {
      status: 'approved',
      allowed: [
        { to: 'disputed', scopes: ['documents:write'] },
        { to: 'payment_scheduled', scopes: ['documents:write', 'payments:write'] },
        { to: 'paid', scopes: ['documents:write', 'payments:write'] },
      ],
      waiting_on: 'counterparty',
    },
  },
  'documents.convert': { body: { document_type: 'credit_note' }, answer: creditNote },
  ...connectionExamples,
  ...webhookExamples(exampleDocuments.approvedBill),
  ...paymentExamples({
    submitted: exampleDocuments.bill,
    approved: exampleDocuments.approvedBill,
    paid: seenBy('counterparty', paidDocument(approved)),
  }),
  'log.consistency': { query: 'from=0&to=0' },
  'keys.list': { answer: { data: [key], next_cursor: null, has_more: false } },
  'keys.get': { answer: key },
  'keys.create': { body: keyRequest, answer: { ...key, key: 'rk_test_dx1_4kTn2Qbx…' } },
  'keys.rotate': {
    answer: {
      ...key,
      id: exampleIds.replacement,
      prefix: 'rk_test_dx1_9vGmW3rc',
      rotated_from_id: key.id,
      key: 'rk_test_dx1_9vGmW3rc…',
      previous: {
        id: key.id,
        prefix: key.prefix,
        expires_at: '2026-11-22T09:10:00.000Z',
        rotated_to_id: exampleIds.replacement,
      },
    },
  },
  'keys.revoke': { answer: { ...key, status: 'revoked', revoked_at: '2026-11-21T16:00:00.000Z' } },
  'me.get': {
    answer: {
      organization: {
        id: exampleIds.issuer,
        name: 'Bright Timber',
        mode: 'sandbox',
        verified: true,
      },
      key: { id: key.id, prefix: key.prefix, scopes: key.scopes },
      user: null,
      effective_scopes: key.scopes,
      limits: {
        ...key.payment_limits,
        daily_volume_left: currencies.map((currency) => ({
          currency,
          used: currency === 'USD' ? 4080 : 0,
          left: currency === 'USD' ? 5920 : 10000,
          resets_at: '2026-11-22T00:00:00.000Z',
        })),
      },
      quotas: [
        quota('documents_per_day', 4688, '2026-11-22T00:00:00.000Z'),
        quota('stored_documents', 19688, null),
        quota('payments_per_day', 4996, '2026-11-22T00:00:00.000Z'),
      ],
      api_version: version,
    },
  },
  'idempotency.get': {
    answer: {
      status: 'succeeded',
      resource_id: exampleIds.document,
      request_id: exampleIds.request,
    },
  },
  'enablement.get': {
    answer: {
      api_version: version,
      mode: 'both',
      families: Object.fromEntries(
        familyNames.map((family) => {
          const { since, built } = families[family]
          return [family, { enabled: built, since_version: since }]
        }),
      ),
    },
  },
}
