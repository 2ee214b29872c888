/** Null, absent and unchanged values of drafts, and a deployment without payments (contract 11). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { inDays } from '../../support/dates.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { aDraft, anInvoice, exampleLine, move } from '../../support/fixtures.ts'
import { sandboxClient } from '../../support/sandbox/sandbox-client.ts'

const { running, pair, issuer, counterparty } = await startTradingPair()
const withoutPayments = await running.startAnother({ FAMILIES: 'documents,provenance' })

const patch = async (id: string, body: object) => {
  const reply = await callApi(running, 'PATCH', `/v1/documents/${id}`, { key: issuer.key, body })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

const eventsOf = async (id: string): Promise<number> => {
  const path = `/v1/events?document=${id}`
  return (await callApi(running, 'GET', path, { key: issuer.key })).body.data.length
}

describe('contract 11: null and absent', () => {
  test('absent payment_terms take the default of the connection, and null means none', async () => {
    const absent = await aDraft(running, pair)
    assert.deepEqual([absent.payment_terms, absent.net_days], ['Net 30', 30])
    const none = await aDraft(running, pair, { payment_terms: null })
    assert.deepEqual([none.payment_terms, none.due_date], [null, null])
  })

  test('a due date that is sent alone keeps a text without a date, and so does null', async () => {
    const { id } = await aDraft(running, pair, { payment_terms: 'Payable on delivery' })
    const due_date = inDays(9)
    const dated = await patch(id, { due_date })
    assert.deepEqual([dated.payment_terms, dated.due_date], ['Payable on delivery', due_date])
    const undated = await patch(id, { due_date: null })
    assert.deepEqual([undated.payment_terms, undated.due_date], ['Payable on delivery', null])
  })

  test('due_date: null removes a text that names a date', async () => {
    const { id } = await aDraft(running, pair, { payment_terms: 'Net 15' })
    const { payment_terms, due_date } = await patch(id, { due_date: null })
    assert.deepEqual([payment_terms, due_date], [null, null])
  })

  test('a text that names no date keeps the due date that was sent beside the one before', async () => {
    const due_date = inDays(9)
    const { id } = await aDraft(running, pair, { payment_terms: 'On delivery', due_date })
    const renamed = await patch(id, { payment_terms: 'After inspection' })
    assert.deepEqual([renamed.payment_terms, renamed.due_date], ['After inspection', due_date])
    const none = await patch(id, { payment_terms: null })
    assert.deepEqual([none.payment_terms, none.due_date], [null, null], 'null means no terms')
    const named = await aDraft(running, pair, { payment_terms: `by ${due_date}` })
    const free = await patch(named.id, { payment_terms: 'On delivery' })
    assert.equal(free.due_date, null, 'the date followed from the text that is gone')
  })

  test('a derived date that is sent as it is stays when the draft is issued on a later day', async () => {
    const { provisionSandbox, send } = sandboxClient(running)
    const { key, connection } = await provisionSandbox()
    const draftWith = async (body: object): Promise<string> => {
      const { id } = await send(key, '/v1/documents', {
        connection_id: connection,
        document_type: 'invoice',
        line_items: [exampleLine],
        payment_terms: 'Net 30',
      })
      const kept = await callApi(running, 'PATCH', `/v1/documents/${id}`, { key, body })
      assert.deepEqual([kept.body.revision, kept.body.due_date], [1, inDays(30)], kept.text)
      return id
    }
    const moving = await draftWith({})
    const fixed = await draftWith({ due_date: inDays(30) })
    await send(key, '/v1/sandbox/clock', { advance_by: 'P3D' })
    const dueAfterIssue = async (id: string) =>
      (await send(key, `/v1/documents/${id}/issue`)).due_date
    assert.deepEqual(
      [await dueAfterIssue(moving), await dueAfterIssue(fixed)],
      [inDays(33), inDays(30)],
    )
  })

  test('a PATCH that changes nothing keeps the revision and tells nobody', async () => {
    const metadata = { b: '1', a: '2' }
    const draft = await aDraft(running, pair, { notes: 'Same', metadata })
    const before = await eventsOf(draft.id)
    const lines = {
      line_items: [{ description: 'Consulting', quantity: 10, unit_price: 100, tax_rate: 0.08 }],
    }
    for (const body of [
      { notes: 'Same' },
      { metadata: { a: '2', b: '1' } },
      lines,
      { payment_terms: 'Net 30' },
      { due_date: draft.due_date },
      { payment_terms: 'Net 30', due_date: draft.due_date },
      { document_date: draft.document_date },
    ]) {
      const { revision, updated_at } = await patch(draft.id, body)
      assert.deepEqual([revision, updated_at], [1, draft.updated_at], JSON.stringify(body))
    }
    assert.equal(await eventsOf(draft.id), before)
    const path = `/v1/documents/${draft.id}/history`
    const { body } = await callApi(running, 'GET', path, { key: issuer.key })
    assert.equal(body.entries.length, 1)
    assert.equal((await patch(draft.id, { notes: 'Other' })).revision, 2)
  })
})

test('contract 11: with payments switched off, nothing is payable and no paying move is allowed', async () => {
  const { id } = await anInvoice(running, pair)
  assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
  const get = (path: string) => callApi(withoutPayments, 'GET', path, { key: counterparty.key })
  const { payable, allowed_transitions } = (await get(`/v1/documents/${id}`)).body
  assert.deepEqual([payable, allowed_transitions], [false, ['disputed']])
  const { allowed } = (await get(`/v1/documents/${id}/transitions`)).body
  assert.deepEqual(
    allowed.map(({ to }: { to: string }) => to),
    ['disputed'],
  )
  const refused = await move(withoutPayments, counterparty.key, id, 'acknowledged')
  assert.deepEqual(refused.body.error.details.allowed, ['disputed'])
})

test('contract 11: without payments, an event names no paying move either', async () => {
  const { id } = await anInvoice(running, pair)
  const approved = await move(withoutPayments, counterparty.key, id, 'approved')
  assert.equal(approved.status, 200, approved.text)
  const path = `/v1/events?document=${id}&type=document.status_changed`
  const { data } = (await callApi(running, 'GET', path, { key: counterparty.key })).body
  const { status, payable, allowed_transitions } = data[0].data.document
  assert.deepEqual([status, payable, allowed_transitions], ['approved', false, ['disputed']])
})
