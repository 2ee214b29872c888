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
