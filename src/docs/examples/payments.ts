/** The café pays its bill. */
import { csvRow } from '../../core/interop/csv.ts'
import { paymentColumns, recordRow, statementColumns } from '../../core/interop/record-csv.ts'
import { decodeId } from '../../core/ids.ts'
import {
  type PaymentRecord,
  serializePayment,
  projectPayment,
} from '../../core/payments/payment-record.ts'
import type { DocumentRecord } from '../../core/documents/document-record.ts'
import { type Example, exampleIds, page } from './ids.ts'

const ids = {
  payment: 'pay_01kbm9w2r4fj7smt9q0c5x8vbe',
  account: 'acct_01kbm9r1d8e2nvb4k7z3h6p5tq',
  transaction: 'ttx_01kbm9w2t1e9pr6m3y8s5c2hdk',
}

export const paidAt = '2026-11-21T15:03:47.306Z'

const uuidOf = (prefix: 'pay' | 'doc' | 'con' | 'org' | 'acct', id: string): string =>
  decodeId(prefix, id) ?? ''

const payment: PaymentRecord = {
  id: uuidOf('pay', ids.payment),
  mode: 'test',
  kind: 'document_payment',
  document_id: uuidOf('doc', exampleIds.document),
  connection_id: uuidOf('con', exampleIds.connection),
  payer_id: uuidOf('org', exampleIds.counterparty),
  status: 'settled',
  amount: 108_893n,
  currency: 'EUR',
  method: 'sepa',
  rail: 'simulator',
  payer_account: uuidOf('acct', ids.account),
  payee_account: uuidOf('acct', 'acct_01kbm9qx5ce7d0w6t2yf9r4mka'),
  source: null,
  scheduled_for: null,
  settlement_reference: ids.payment.replace('pay_', 'sim_'),
  failure_code: null,
  failure_message: null,
  initiated_by: JSON.stringify({
    kind: 'api_key',
    organization_id: exampleIds.counterparty,
    key_prefix: 'rk_test_dx1_7pWcR5ty',
  }),
  triggered_by_payment_id: null,
  agreement_id: null,
  created_at: paidAt,
  processing_at: paidAt,
  settled_at: paidAt,
  failed_at: null,
  returned_at: null,
  updated_at: paidAt,
}

/** The bill after the payment. */
export const paidDocument = (approved: DocumentRecord): DocumentRecord => ({
  ...approved,
  status: 'paid',
  amount_paid: payment.amount,
  payment: serializePayment(payment),
  revision: 5,
  updated_at: paidAt,
})

export const outgoingPayment = projectPayment(payment, payment.payer_id)

const account = {
  id: ids.account,
  name: 'Settlement EUR',
  purpose: 'settlement',
  currency: 'EUR',
  status: 'active',
  provider: 'simulator',
  last4: null,
  is_default: true,
  created_at: '2026-11-20T15:02:11.000Z',
}

export const balance = {
  account_id: ids.account,
  currency: 'EUR',
  posted: 998_911.07,
  pending_in: 0,
  pending_out: 0,
  available: 998_911.07,
  as_of: '2026-11-21T15:04:00.000Z',
}

const transaction = {
  id: ids.transaction,
  account_id: ids.account,
  type: 'payment_out',
  status: 'posted',
  amount: -1_088.93,
  currency: 'EUR',
  running_balance: 998_911.07,
  payment_id: ids.payment,
  payment_kind: 'document_payment',
  document_id: exampleIds.document,
  settlement_reference: payment.settlement_reference,
  effective_at: paidAt,
  created_at: paidAt,
}

const statementRows = [
  {
    type: 'opening_balance',
    effective_at: '2026-11-21',
    currency: 'EUR',
    running_balance: 1_000_000,
  },
  { ...transaction, document_number: 'BILL-000001' },
  {
    type: 'closing_balance',
    effective_at: '2026-11-21',
    currency: 'EUR',
    running_balance: 998_911.07,
  },
]

export const paymentExamples: Readonly<Record<string, Example>> = {
  'payments.list': { query: 'direction=outgoing&limit=1', response: page(outgoingPayment) },
  'payments.csv': {
    query: 'direction=outgoing&since=2026-11-01',
    response: csvRow(paymentColumns) + recordRow(outgoingPayment, paymentColumns),
  },
  'payments.get': { response: outgoingPayment },
  'treasury.accounts.list': { response: page(account) },
  'treasury.accounts.get': { response: account },
  'treasury.balances.list': { query: 'currency=EUR', response: page(balance) },
  'treasury.transactions.list': { query: 'type=payment_out&limit=1', response: page(transaction) },
  'treasury.transactions.get': { response: transaction },
  'treasury.statement': {
    query: 'format=csv&from=2026-11-21&to=2026-11-21',
    response:
      csvRow(statementColumns) +
      statementRows.map((row) => recordRow(row, statementColumns)).join(''),
  },
}
