/** Specification 3, row by row: the states of documents, keys and payments. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aDraft, aKey, aPair, anInvoice, exampleLine, move } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { anApprovedInvoice } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty } = pair

const read = (id: string, { key }: { key: string } = issuer) =>
  callApi(running, 'GET', `/v1/documents/${id}`, { key })

const edit = (id: string, body: object) =>
  callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })

describe('specification 3: documents', () => {
  test('a new document is a draft of the caller, whom alone it shows itself', async () => {
    const draft = await aDraft(running, pair)
    assert.deepEqual([draft.status, draft.direction], ['draft', 'issued'])
    assert.equal(draft.issuer.organization_id, issuer.id)
    assertRefused(await read(draft.id, counterparty), 'not_found')
  })

  test('a party of no such connection cannot create a document on it', async () => {
    const stranger = await aPair(running)
    const body = { connection_id: pair.connection, document_type: 'invoice' }
    const refused = await callApi(running, 'POST', '/v1/documents', {
      key: stranger.issuer.key,
      body: { ...body, line_items: [exampleLine] },
    })
    assertRefused(refused, 'not_found')
  })

  test('editing a draft replaces its lines as a whole and derives all totals again', async () => {
    const { id } = await aDraft(running, pair, { line_items: [exampleLine, exampleLine] })
    const { body } = await edit(id, { line_items: [{ ...exampleLine, quantity: 1 }] })
    assert.deepEqual([body.line_items.length, body.subtotal, body.total], [1, 100, 108])
  })

  test('issuing takes a draft to the entry state of its type, and the counterparty sees it', async () => {
    for (const [document_type, status] of [
      ['invoice', 'submitted'],
      ['quote', 'sent'],
    ]) {
      const { id, status: issued } = await anInvoice(running, pair, { document_type })
      assert.equal(issued, status)
      assert.equal((await read(id, counterparty)).body.status, status)
    }
  })

  test('an issued document cannot be edited', async () => {
    const { id, revision } = await anInvoice(running, pair)
    assertRefused(await edit(id, { notes: 'later' }), 'conflict', 'not_draft')
    assert.equal((await read(id)).body.revision, revision)
  })

  test('the issuer may dispute an approved invoice, and disputed is the only legal target', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const refused = await move(running, issuer.key, id, 'acknowledged')
    assert.deepEqual(assertRefused(refused, 'conflict').allowed, ['disputed'])
    assert.equal((await move(running, issuer.key, id, 'disputed')).body.status, 'disputed')
  })

  test('a transition to a payment state settles in place in the sandbox', async () => {
    for (const to of ['payment_scheduled', 'paid']) {
      const { id } = await anApprovedInvoice(running, pair)
      const { body } = await move(running, counterparty.key, id, to)
      assert.deepEqual([body.status, body.balance_due, body.payment.status], [to, 0, 'settled'])
    }
  })

  test('a payment state needs payments:write beside documents:write', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const { secret } = await aKey(running, counterparty, ['documents:read', 'documents:write'])
    const refused = await move(running, secret, id, 'paid')
    assert(assertRefused(refused, 'insufficient_scope').required_scopes.includes('payments:write'))
  })

  test('in live a payment answers capability_unavailable until a processor is connected', async () => {
    const live = await aPair(running, 'live')
    const { id } = await anApprovedInvoice(running, live)
    const refused = await move(running, live.counterparty.key, id, 'paid')
    assertRefused(refused, 'capability_unavailable', 'processor_not_connected')
  })

  test('pay settles the full balance, and a second call makes no second payment', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    const pay = () => callApi(running, 'POST', `/v1/documents/${id}/pay`, { key: counterparty.key })
    const [first, again] = [await pay(), await pay()]
    assert.deepEqual([first.body.balance_due, first.body.payment.amount], [0, 1080])
    assert.equal(again.body.payment.id, first.body.payment.id)
  })

  test('a failed payment makes the document payable again, and payment.failed tells the reason', async () => {
    const { id } = await anApprovedInvoice(running, pair)
    await callApi(running, 'POST', `/v1/documents/${id}/pay`, {
      key: counterparty.key,
      body: { source_account_id: 'acct_test_async' },
    })
    const { body: started } = await read(id, counterparty)
    assert.deepEqual([started.status, started.payable], ['payment_scheduled', false])
    const simulated = await callApi(
      running,
      'POST',
      `/v1/sandbox/payments/${started.payment.id}/simulate`,
      { key: counterparty.key, body: { outcome: 'fail', reason: 'account_closed' } },
    )
    assert.equal(simulated.status, 200, simulated.text)
    const { body: failed } = await read(id, counterparty)
    assert.deepEqual([failed.status, failed.payable], ['approved', true])
    const { body: events } = await callApi(
      running,
      'GET',
      `/v1/events?document=${id}&type=payment.failed`,
      { key: counterparty.key },
    )
    assert.equal(events.data[0].data.reason, 'account_closed')
  })

  test('a target that no document type has is refused as a value', async () => {
    const { id } = await anInvoice(running, pair)
    assertProblems(await move(running, issuer.key, id, 'archived'), '/to invalid_value')
  })
})
