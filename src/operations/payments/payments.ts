/** Paying documents and reading payments (specification 4.1, contract 4, domain 4). */
import { payFieldHints } from '../../contract/unknown-field-hints.ts'
import { Document } from '../../contract/shapes/documents.ts'
import { PayRequest, Payment, PaymentFilters, PaymentPage } from '../../contract/shapes/payments.ts'
import { checkApproval } from '../../changes/approvals/required-approval.ts'
import { paymentSubject } from '../../changes/payments/payment-approval.ts'
import { visibleDocument } from '../../changes/documents/document-access.ts'
import { followLoan } from '../../changes/finance/follow-loan.ts'
import { sourceAccountProblems } from '../../changes/payments/payment-accounts.ts'
import { payDocument } from '../../changes/payments/initiate-payment.ts'
import { decodeId } from '../../core/ids.ts'
import { projectPayment } from '../../core/payments/payment-record.ts'
import {
  type PaymentListFilters,
  type PaymentRow,
  paymentById,
  paymentChanges,
  paymentsOf,
} from '../../store/payments/payments.ts'
import { approvableWrite, approvalNeeds } from '../approvals/approvable-writes.ts'
import { dayOf, lowerBoundOf } from '../time-bounds.ts'
import { changePlaceOf, openPage, positionOfChange } from '../paging.ts'
import { writeReply } from '../documents/replies.ts'
import { changeOf } from '../change-context.ts'
import { operation } from '../operation.ts'
import { ownRecord, uuidOrNotFound } from '../path-ids.ts'
import { paymentNeeds } from '../documents/transition.ts'

export const pay = operation({
  id: 'documents.pay',
  method: 'POST',
  path: '/v1/documents/{id}/pay',
  family: 'payments',
  summary: 'Pay the whole balance of a document',
  description:
    'Safe to repeat at any time, with the same or another Idempotency-Key. While a payment is in progress, and after it has settled, the response is the document with that payment, never with a second one. A scheduled payment is executed now. `payment` and the events payment.settled and payment.failed show the outcome.',
  since: '1.5.0',
  allowed: 'scoped',
  scopes: ['documents:write', 'payments:write'],
  body: PayRequest,
  unknownFieldHints: payFieldHints,
  response: Document,
  errors: [
    'not_found',
    'conflict',
    'precondition_failed',
    'sandbox_isolation',
    'capability_unavailable',
    'payment_limit_exceeded',
    'sandbox_quota',
  ],
}).decides(async (call, { params, body }) => {
  const id = uuidOrNotFound('doc', params.id)
  const path = `/v1/documents/${params.id}/pay`
  const write = await approvableWrite(call, 'documents.pay', path, body)
  return {
    needs: { ...paymentNeeds(call, id, body), ...approvalNeeds(call, write) },
    decide: (unit) => {
      const change = changeOf(call, unit, write)
      const { document, side } = visibleDocument(unit, change.caller, call.organization.id, id)
      checkApproval(change, paymentSubject(change, document))
      const paid = followLoan(change, payDocument(change, document, side, body))
      return writeReply(call, unit, { document: paid, side })
    },
  }
}, sourceAccountProblems)

export const list = operation({
  id: 'payments.list',
  method: 'GET',
  path: '/v1/payments',
  family: 'payments',
  summary: 'List payments, newest first',
  description:
    'Returns the payments that the organization makes and those that it receives. `GET /v1/documents?id=` reads their documents in one call. To catch up on changes, use `sort=updated` with `updated_since`.',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['payments:read'],
  query: PaymentFilters,
  response: PaymentPage,
  summaryFields: [
    'id',
    'kind',
    'document_id',
    'direction',
    'status',
    'amount',
    'currency',
    'created_at',
    'failure',
  ],
  toolFields: ['id', 'document_id', 'direction', 'status', 'amount', 'currency', 'failure'],
}).reads(async (call, { query }) => {
  const { id: organization } = call.organization
  const page = openPage(call, 'payments', query)
  const request = { organization, filters: filtersOf(query), limit: page.limit }
  const view = (row: PaymentRow) => projectPayment(row, organization)
  if (query.sort === 'updated') {
    const changed = await paymentChanges(call.read, {
      ...request,
      after: changePlaceOf(page.before),
    })
    return { body: page.of(changed, view, positionOfChange) }
  }
  const before = page.before === undefined ? undefined : BigInt(page.before)
  const rows = await paymentsOf(call.read, { ...request, before })
  return { body: page.of(rows, view, (row) => String(row.position)) }
})

export const filtersOf = (query: Omit<PaymentFilters, 'cursor' | 'limit'>): PaymentListFilters => ({
  documents: query.document?.map((id) => decodeId('doc', id)!),
  connections: query.connection?.map((id) => decodeId('con', id)!),
  statuses: query.status,
  kinds: query.kind,
  direction: query.direction,
  since: query.since && dayOf(query.since),
  until: query.until && dayOf(query.until),
  updatedSince: query.updated_since && lowerBoundOf(query.updated_since),
  currencies: query.currency,
  settledFrom: query.settled_from,
  settledTo: query.settled_to,
})

export const get = operation({
  id: 'payments.get',
  method: 'GET',
  path: '/v1/payments/{id}',
  family: 'payments',
  summary: 'Retrieve a payment',
  since: '1.0.0',
  allowed: 'scoped',
  scopes: ['payments:read'],
  response: Payment,
  errors: ['not_found', 'sandbox_isolation'],
}).reads(async (call, { params }) => {
  const payment = await ownRecord(call, 'pay', params.id, paymentById)
  return { body: projectPayment(payment, call.organization.id) }
})
