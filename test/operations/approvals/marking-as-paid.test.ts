/**
 * clients 4: the move to `paid` of a document whose payment has settled in place. The service makes
 * that move itself a second later, unless it performs no due work, as here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { aKeyThatAsks, aMember } from '../../support/approvals/keys-that-ask.ts'
import { aPair, move } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { anApprovedInvoice } from '../../support/payments/approved-invoices.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })

test('a key that has to ask needs an approval for it, and uses it up', async () => {
  const pair = await aPair(running)
  const { id } = await anApprovedInvoice(running, pair)
  const { counterparty } = pair
  const { body: settled } = await move(running, counterparty.key, id, 'payment_scheduled')
  assert.deepEqual([settled.status, settled.payment.status], ['payment_scheduled', 'settled'])
  const key = await aKeyThatAsks(running, counterparty)
  const { session } = await aMember(running, counterparty, 'approver')
  const options = { key, headers: { 'idempotency-key': freshIdempotencyKey() } }
  const path = `/v1/documents/${id}/transition`
  const send = () => callApi(running, 'POST', path, { ...options, body: { to: 'paid' } })

  const { reason, approval } = assertRefused(await send(), 'conflict')
  assert.equal(reason, 'approval_required')
  assert.match(approval.summary, /^Mark as paid 1080\.00 USD /)
  const read = async (what: string) =>
    (await callApi(running, 'GET', what, { key: counterparty.key })).body
  assert.equal((await read(`/v1/documents/${id}`)).status, 'payment_scheduled')

  const decision = { key: session, body: { digest: approval.digest } }
  await callApi(running, 'POST', `/v1/approvals/${approval.id}/approve`, decision)
  const moved = await send()
  assert.deepEqual([moved.status, moved.body.status], [200, 'paid'])
  assert.equal((await read(`/v1/payments?document=${id}`)).data.length, 1)
  const used = await callApi(running, 'GET', `/v1/approvals/${approval.id}`, { key: session })
  assert.equal(used.body.status, 'executed')
})
