/** A new practice pair, and what the café tries out in its sandbox. */
import { exampleDocuments } from './documents.ts'
import { type Example, exampleIds, page } from './ids.ts'
import { balance, outgoingPayment, paidAt } from './payments.ts'

const sandbox = {
  sandbox_id: 'sbx_01kbm9xn3te4qb0v6kmh8s2cpd',
  organization: { id: 'org_01kbm9xn3sfa1t5p9yh3vq7wjc', name: 'Trial', verified: true },
  demo_organization: {
    id: 'org_01kbm9xn3se8m2r4gkc6bz0ntf',
    name: 'Demo Counterparty',
    verified: true,
  },
  connection_id: 'con_01kbm9xn3tfpa8d2j7w5y1qhse',
  created_at: '2026-11-21T09:30:00.000Z',
}

const clock = { now: '2026-11-27T15:04:00.000Z', offset_seconds: 518_400, status: 'ready' }

const failedPayment = {
  ...outgoingPayment,
  status: 'failed',
  source_account_id: 'acct_test_stuck',
  settlement_reference: null,
  failure: { code: 'account_closed', message: 'The account is closed.' },
  settled_at: null,
  failed_at: paidAt,
}

export const sandboxExamples: Readonly<Record<string, Example>> = {
  'sandboxes.list': { response: page(sandbox) },
  'sandboxes.create': {
    body: { name: 'Trial' },
    response: {
      ...sandbox,
      api_key: 'rk_test_dx1_7hQd2Pya…',
      demo_api_key: 'rk_test_dx1_0sVb9Lkt…',
      admin_session_token: 'rs_test_…',
      demo_admin_session_token: 'rs_test_…',
    },
  },
  'sandbox.clock.get': { response: clock },
  'sandbox.clock.advance': { body: { advance_by: 'P6D' }, response: clock },
  'sandbox.topup': { body: { currency: 'EUR', amount: 2_500 }, response: balance },
  'sandbox.reset': { response: clock },
  'sandbox.payments.simulate': {
    body: { outcome: 'fail', reason: 'account_closed' },
    response: failedPayment,
  },
  'sandbox.demo.create_document': {
    body: { document_type: 'invoice', payment_terms: 'Net 30' },
    response: exampleDocuments.bill,
  },
  'sandbox.demo.transition': {
    body: { document_id: exampleIds.document, to: 'approved' },
    response: exampleDocuments.approvedBill,
  },
}
