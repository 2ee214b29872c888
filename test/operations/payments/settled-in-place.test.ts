/**
 * Domain 4.1: what settles in place. The service performs no due work here, so a document stays as
 * the request has left it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { aPair, move } from '../../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

test('a payment may take all that the account holds, and not a cent more', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const read = async (path: string) => (await callApi(running, 'GET', path, { key })).body.data
  const settlement = (await read('/v1/treasury/accounts')).find(
    (one: { currency: string; purpose: string }) =>
      one.currency === 'USD' && one.purpose === 'settlement',
  )
  const [balance] = await read(`/v1/treasury/balances?account=${settlement.id}`)
  const held: number = balance.available
  const statusOfPaying = async (unit_price: number) => {
    const line = { description: 'Mill', quantity: 1, unit_price, tax_rate: 0 }
    const { id } = await anApprovedInvoice(running, pair, { line_items: [line] })
    const { body, text } = await pay(running, key, id)
    assert.equal(body.payment?.amount, unit_price, text)
    return body.payment.status
  }
  assert.equal(await statusOfPaying(held + 0.01), 'created', 'the funds are short')
  assert.equal(await statusOfPaying(held), 'settled')
})

test('POST /pay marks a document as paid whose payment has settled, and pays it once', async () => {
  const pair = await aPair(running)
  const { key } = pair.counterparty
  const { id } = await anApprovedInvoice(running, pair)
  const { body: settled } = await move(running, key, id, 'payment_scheduled')
  assert.deepEqual([settled.status, settled.payment.status], ['payment_scheduled', 'settled'])
  const { body: paid } = await pay(running, key, id)
  assert.deepEqual([paid.status, paid.payment.id], ['paid', settled.payment.id])
  const payments = await callApi(running, 'GET', `/v1/payments?document=${id}`, { key })
  assert.equal(payments.body.data.length, 1)
})

test('a move to paid may name today as its day', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const today = { scheduled_for: inDays(0) }
  const { body } = await move(running, pair.counterparty.key, id, 'paid', today)
  assert.deepEqual([body.status, body.payment?.status], ['paid', 'settled'])
})

test('a payment shows of the person who makes it only for which organization they act', async () => {
  const { issuer, counterparty, ...pair } = await aPair(running)
  const { id } = await anApprovedInvoice(running, { ...pair, issuer, counterparty })
  const { body, text } = await pay(running, counterparty.session, id)
  assert.equal(body.payment?.status, 'settled', text)
  for (const { key } of [issuer, counterparty]) {
    const { body: shown } = await callApi(running, 'GET', `/v1/payments/${body.payment.id}`, {
      key,
    })
    const only = { kind: 'user', organization_id: counterparty.id }
    assert.deepEqual(shown.initiated_by, only)
  }
})
