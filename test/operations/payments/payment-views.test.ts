/** Each party's view of a payment in responses and events, and what it must not see. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anApprovedInvoice, pay } from '../../support/payments/approved-invoices.ts'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { type TestOrganization, aPair, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair

const get = async (path: string, { key }: TestOrganization) => {
  const reply = await callApi(running, 'GET', path, { key })
  assert.equal(reply.status, 200, reply.text)
  return reply
}

const advance = async (advance_by: string) => {
  const reply = await callApi(running, 'POST', '/v1/sandbox/clock', {
    key: counterparty.key,
    body: { advance_by },
  })
  assert.equal(reply.status, 200, reply.text)
}

/** The latest status change of the document among that side's events. */
const lastMove = async (id: string, reader: TestOrganization) => {
  const { body } = await get(`/v1/events?document=${id}&type=document.status_changed`, reader)
  const { cause, previous_status, document } = body.data[0].data
  return { cause, previous_status, status: document.status }
}

describe('domain 4.7: the cause of a status change by settlement', () => {
  const settled = { cause: 'settled', previous_status: 'payment_scheduled', status: 'paid' }

  test('a scheduled payment that executes gives both sides the cause settled', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    await move(running, counterparty.key, id, 'payment_scheduled', { scheduled_for: inDays(3) })
    await advance('P4D')
    for (const side of [issuer, counterparty]) assert.deepEqual(await lastMove(id, side), settled)
  })

  test('a payment that settles asynchronously or on request gives the cause settled', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, counterparty.key, id, { body: { source_account_id: 'acct_test_async' } })
    await advance('PT60S')
    assert.deepEqual(await lastMove(id, issuer), settled)
    const { id: other } = await anApprovedInvoice(running, pair)
    await move(running, counterparty.key, other, 'payment_scheduled')
    await advance('PT1S')
    assert.deepEqual(await lastMove(other, issuer), settled)
  })

  test('a simulated settlement of a scheduled payment gives the cause settled', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const scheduled_for = inDays(30)
    const { body } = await move(running, counterparty.key, id, 'payment_scheduled', {
      scheduled_for,
    })
    const path = `/v1/sandbox/payments/${body.payment.id}/simulate`
    await callApi(running, 'POST', path, { key: issuer.key, body: { outcome: 'settle' } })
    assert.deepEqual(await lastMove(id, issuer), settled)
  })

  test('a status change that a side requested has no cause', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, counterparty.key, id)
    const { cause, previous_status } = await lastMove(id, issuer)
    assert.deepEqual([cause, previous_status], [undefined, 'approved'])
  })
})

test('domain 4.7: an event shows the payment as the document has it, whenever it settles or fails', async () => {
  for (const source_account_id of [
    'acct_test_async',
    'acct_test_account_closed',
    'acct_test_return',
  ]) {
    const { id } = await anApprovedInvoice(running, pair)
    await pay(running, counterparty.key, id, { body: { source_account_id } })
    await advance('P4D')
    for (const side of [issuer, counterparty]) {
      const { body } = await get(`/v1/events?document=${id}`, side)
      const [shown] = body.data.filter(({ type }: { type: string }) => type.startsWith('payment.'))
      assert.deepEqual(shown.data.payment, shown.data.document.payment)
    }
  }
})

test('domain 4.1: only the payer sees which of its keys made a payment', async () => {
  const { id } = await anApprovedInvoice(running, pair)
  const { body: paid } = await pay(running, counterparty.key, id)
  const { body: returned } = await callApi(
    running,
    'POST',
    `/v1/sandbox/payments/${paid.payment.id}/simulate`,
    { key: issuer.key, body: { outcome: 'return' } },
  )
  const paths = [
    `/v1/documents/${id}`,
    '/v1/documents',
    `/v1/documents/${id}/transitions`,
    `/v1/payments?document=${id}`,
    `/v1/payments/${paid.payment.id}`,
    `/v1/events?document=${id}`,
    '/v1/treasury/transactions',
  ]
  const canaries = [counterparty.keyId, counterparty.key.slice(0, 20)]
  const shown = async (reader: TestOrganization) =>
    (await Promise.all(paths.map((path) => get(path, reader)))).map(({ text }) => text).join('\n')
  const texts = (await shown(issuer)) + JSON.stringify(returned)
  for (const canary of canaries) assert(!texts.includes(canary), canary)
  const own = await shown(counterparty)
  for (const canary of canaries) assert(own.includes(canary), canary)
  const { initiated_by } = paid.payment
  assert.deepEqual(initiated_by, {
    kind: 'api_key',
    organization_id: counterparty.id,
    key_prefix: canaries[1],
    key_id: canaries[0],
  })
  const { kind, organization_id } = initiated_by
  assert.deepEqual(returned.initiated_by, { kind, organization_id })
})
