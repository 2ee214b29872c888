/** What is wrong with a body itself is refused before what it names (contract 2). */
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aDraft, anInvoice, exampleLine } from '../support/fixtures.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()

const missing = (prefix: string): string => `${prefix}_${'0'.repeat(26)}`
const wrongLine = { line_items: [{ ...exampleLine, tax_rate: 8 }] }
const taxOfLine = '/line_items/0/tax_rate out_of_range'
const acknowledge = { to: 'acknowledged', payment_method: 'ach' }

test('contract 2: what only a record-free check finds precedes a missing record', async () => {
  for (const [method, path, body, ...problems] of [
    ['PATCH', `/v1/documents/${missing('doc')}`, wrongLine, taxOfLine],
    [
      'POST',
      `/v1/documents/${missing('doc')}/convert`,
      { document_type: 'credit_note', ...wrongLine },
      taxOfLine,
    ],
    [
      'POST',
      `/v1/documents/${missing('doc')}/transition`,
      acknowledge,
      '/payment_method invalid_value',
    ],
    [
      'POST',
      `/v1/sandbox/payments/${missing('pay')}/simulate`,
      { outcome: 'settle', reason: 'insufficient_funds' },
      '/reason invalid_value',
    ],
  ] as const) {
    const reply = await callApi(running, method, path, { key: counterparty.key, body })
    assertProblems(reply, ...problems)
  }
})

test('contract 2: it precedes an outdated If-Match and the state of the document', async () => {
  const draft = await aDraft(running, pair)
  const stale = { key: issuer.key, headers: { 'if-match': '"9"' } }
  const patch = `/v1/documents/${draft.id}`
  assertProblems(await callApi(running, 'PATCH', patch, { ...stale, body: wrongLine }), taxOfLine)
  const sound = await callApi(running, 'PATCH', patch, { ...stale, body: { notes: 'late' } })
  assertRefused(sound, 'precondition_failed')

  const invoice = await anInvoice(running, pair)
  const { key } = issuer
  const edited = `/v1/documents/${invoice.id}`
  assertProblems(await callApi(running, 'PATCH', edited, { key, body: wrongLine }), taxOfLine)
  const moved = await callApi(running, 'POST', `${edited}/transition`, { key, body: acknowledge })
  assertProblems(moved, '/payment_method invalid_value')
})

test('contract 2: a draft lists what is wrong beside its lines too', async () => {
  const draft = await aDraft(running, pair)
  const body = { ...wrongLine, document_date: '1999-01-01' }
  const reply = await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
    key: issuer.key,
    body,
  })
  assertProblems(reply, taxOfLine, '/document_date out_of_range')
})

test('contract 1: a malformed source account is refused whatever the document is', async () => {
  const submitted = (await anInvoice(running, pair)).id
  const fields = { source_account_id: 'acct_test_nope' }
  for (const [path, body] of [
    [`/v1/documents/${submitted}/pay`, fields],
    [`/v1/documents/${missing('doc')}/pay`, fields],
    [`/v1/documents/${submitted}/transition`, { to: 'paid', ...fields }],
    [`/v1/documents/${missing('doc')}/transition`, { to: 'payment_scheduled', ...fields }],
    [`/v1/finance/agreements/${missing('agr')}/repayment`, fields],
  ] as const) {
    const reply = await callApi(running, 'POST', path, { key: counterparty.key, body })
    assertProblems(reply, '/source_account_id invalid_value')
  }
})

test('contract 2: it is listed with the problems of the schema', async () => {
  const path = `/v1/documents/${missing('doc')}/pay`
  const body = { source_account_id: 'x', payment_method: 'cash' }
  assertProblems(
    await callApi(running, 'POST', path, { key: counterparty.key, body }),
    '/payment_method invalid_value',
    '/source_account_id invalid_value',
  )
})

const documentPayment = { operation: 'documents.pay', currency: 'USD' }

for (const [method, path, body, ...problems] of [
  [
    'POST',
    '/v1/connections',
    { default_payment_terms: 'Net 999', currency: 'usd' },
    '/currency invalid_value',
    '/organization_id required',
    '/default_payment_terms out_of_range',
  ],
  [
    'POST',
    '/v1/webhooks',
    { url: 'ftp://example.com', events: ['ping'] },
    '/events/0 invalid_value',
    '/url invalid_value',
  ],
  ['PATCH', `/v1/webhooks/${missing('whk')}`, { url: 'example.com' }, '/url invalid_value'],
  [
    'POST',
    `/v1/webhooks/${missing('whk')}/redeliver`,
    { since: '2026-11-30', until: '2026-11-01', types: ['ping'] },
    '/types/0 invalid_value',
    '/until out_of_range',
  ],
  [
    'POST',
    '/v1/approval_rules',
    { name: 'Large', when: { ...documentPayment, amount_above: 0.001 }, approvers: 4 },
    '/approvers out_of_range',
    '/when/amount_above too_precise',
  ],
  [
    'PATCH',
    `/v1/approval_rules/${missing('rul')}`,
    { when: { ...documentPayment, amount_above: 0.001 } },
    '/when/amount_above too_precise',
  ],
  [
    'POST',
    '/v1/approval_rules/test',
    { ...documentPayment, amount: 0.001, connection_id: 'x' },
    '/connection_id invalid_value',
    '/amount too_precise',
  ],
  [
    'POST',
    '/v1/sandbox/clock',
    { advance_by: 'P1D', advance_to: '2030-01-01', from: 'now' },
    '/from unknown_field',
    '/advance_by invalid_value',
  ],
  [
    'POST',
    '/v1/sandbox/clock',
    { advance_by: '6 days', from: 'now' },
    '/from unknown_field',
    '/advance_by invalid_value',
  ],
  [
    'POST',
    '/v1/sandbox/demo/documents',
    { document_type: 'credit_note', payment_terms: 'Net 999', from: 'now' },
    '/from unknown_field',
    '/references required',
    '/payment_terms out_of_range',
  ],
] as const) {
  test(`contract 2: ${method} ${path} lists ${problems.join(' and ')}`, async () => {
    const reply = await callApi(running, method, path, { key: issuer.session, body })
    assertProblems(reply, ...problems)
  })
}

test('contract 2: a check that needs a field with another problem is left out', async () => {
  for (const [path, body, problem] of [
    ['/v1/connections', { email: 'nobody' }, '/email invalid_value'],
    ['/v1/sandbox/clock', { advance_by: 6 }, '/advance_by wrong_type'],
    ['/v1/approval_rules/test', { ...documentPayment, amount: '1' }, '/amount wrong_type'],
  ] as const) {
    const reply = await callApi(running, 'POST', path, { key: issuer.session, body })
    assertProblems(reply, problem)
  }
})
