/** One record, two projections: the documents family over HTTP. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aKey, exampleLine, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { sharedBodies } from '../../support/provenance/stored-history.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, issuer, counterparty, connection } = await startTradingPair()

describe('specification 2.1: one record, two projections', () => {
  test('the issuer reads an Invoice numbered INV-, the counterparty the same record as a Bill numbered BILL-', async () => {
    const invoice = await anInvoice(running, pair)
    const bill = (
      await callApi(running, 'GET', `/v1/documents/${invoice.id}`, { key: counterparty.key })
    ).body
    assert.deepEqual(
      [invoice.label, invoice.direction, invoice.number.slice(0, 4), invoice.status],
      ['Invoice', 'issued', 'INV-', 'submitted'],
    )
    assert.deepEqual(
      [bill.label, bill.direction, bill.number.slice(0, 5), bill.status],
      ['Bill', 'received', 'BILL-', 'submitted'],
    )
    assert.equal(bill.issuer_number, invoice.number)
    for (const field of ['id', 'total', 'line_items', 'revision', 'updated_at', 'due_date']) {
      assert.deepEqual(bill[field], invoice[field], field)
    }
  })

  test('3 a draft answers its counterparty with the same 404 as a record that does not exist', async () => {
    const draft = await aDraft(running, pair)
    const missing = `doc_${'0'.repeat(26)}`
    const normal = (text: string, id: string) => text.replaceAll(id, 'ID').replace(/req_\w+/, 'REQ')
    const foreign = await callApi(running, 'GET', `/v1/documents/${draft.id}`, {
      key: counterparty.key,
    })
    const absent = await callApi(running, 'GET', `/v1/documents/${missing}`, {
      key: counterparty.key,
    })
    assert.equal(foreign.status, 404)
    assert.equal(normal(foreign.text, draft.id), normal(absent.text, missing))
  })

  test('only the issuer sees metadata; both sides see external_refs once the document is issued', async () => {
    const invoice = await anInvoice(running, pair, {
      metadata: { margin: 'secret' },
      external_refs: { issuer_ref: 'SO-1' },
    })
    const bill = await callApi(running, 'GET', `/v1/documents/${invoice.id}`, {
      key: counterparty.key,
    })
    assert.equal(invoice.metadata.margin, 'secret')
    assert.equal(bill.text.includes('secret'), false)
    assert.deepEqual(bill.body.external_refs, { issuer_ref: 'SO-1' })
  })
})

describe('specification 3: states', () => {
  test('PATCH of a draft replaces all lines and recomputes all totals', async () => {
    const draft = await aDraft(running, pair)
    const line = { ...exampleLine, quantity: 1, unit_price: 50 }
    const edited = await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
      key: issuer.key,
      body: { line_items: [line] },
    })
    assert.deepEqual([edited.body.subtotal, edited.body.tax, edited.body.total], [50, 4, 54])
    assert.equal(edited.body.revision, 2)
    assert.equal(edited.headers.get('etag'), '"2"')
  })

  test('contract 11: PATCH with {} answers 200 with the same revision', async () => {
    const draft = await aDraft(running, pair)
    const edited = await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
      key: issuer.key,
      body: {},
    })
    assert.equal(edited.status, 200)
    assert.equal(edited.body.revision, 1)
  })

  test('PATCH and a second issue of an issued document answer 409 not_draft', async () => {
    const invoice = await anInvoice(running, pair)
    for (const key of [issuer.key, counterparty.key]) {
      const edit = await callApi(running, 'PATCH', `/v1/documents/${invoice.id}`, {
        key,
        body: { notes: 'x' },
      })
      assert.deepEqual([edit.status, edit.body.error.details.reason], [409, 'not_draft'])
      const again = await callApi(running, 'POST', `/v1/documents/${invoice.id}/issue`, { key })
      assert.deepEqual([again.status, again.body.error.details.reason], [409, 'not_draft'])
    }
  })

  test('the example of the specification: acknowledging an approved invoice allows only disputed', async () => {
    const invoice = await anInvoice(running, pair)
    assert.equal((await move(running, counterparty.key, invoice.id, 'approved')).status, 200)
    const refused = await move(running, issuer.key, invoice.id, 'acknowledged')
    assert.equal(refused.status, 409)
    assert.deepEqual(refused.body.error.details, {
      reason: 'illegal_transition',
      allowed: ['disputed'],
      from: 'approved',
      to: 'acknowledged',
      side: 'issuer',
    })
  })

  test('a dispute names who raised it, and only that side may withdraw it', async () => {
    const invoice = await anInvoice(running, pair)
    await move(running, counterparty.key, invoice.id, 'approved')
    const disputed = await move(running, issuer.key, invoice.id, 'disputed', {
      reason_code: 'PRI',
      note: 'Price',
    })
    assert.equal(disputed.body.dispute.raised_by, 'issuer')
    assert.equal(disputed.body.dispute.from_status, 'approved')
    assert.equal((await move(running, counterparty.key, invoice.id, 'acknowledged')).status, 409)
    const withdrawn = await move(running, issuer.key, invoice.id, 'acknowledged')
    assert.deepEqual([withdrawn.body.status, withdrawn.body.dispute], ['acknowledged', null])
  })

  test('an invoice with a total of zero is paid as soon as it is approved', async () => {
    const invoice = await anInvoice(running, pair, {
      line_items: [{ ...exampleLine, unit_price: 0 }],
    })
    assert.equal(
      (await move(running, counterparty.key, invoice.id, 'approved')).body.status,
      'paid',
    )
  })

  test('contract 2: a verified live organization is refused money while no processor is connected', async () => {
    const live = await aPair(running, 'live')
    const { key } = live.counterparty
    const { id } = await anInvoice(running, live)
    await move(running, key, id, 'approved')
    const path = `/v1/documents/${id}/pay`
    for (const refused of [
      await move(running, key, id, 'paid'),
      await move(running, key, id, 'payment_scheduled'),
      await callApi(running, 'POST', path, { key }),
      await callApi(running, 'POST', path, { key, headers: { 'Svc-Dry-Run': 'true' } }),
    ]) {
      assert.deepEqual([refused.status, refused.headers.get('svc-should-retry')], [403, 'false'])
      assert.equal(refused.body.error.code, 'capability_unavailable')
      assert.deepEqual(refused.body.error.details, {
        capability: 'payments',
        reason: 'processor_not_connected',
        blockers: ['payer_processor', 'payee_processor'],
      })
    }
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}`, { key })
    assert.deepEqual([body.status, body.balance_due, body.payment], ['approved', 1080, null])
    const payments = await callApi(running, 'GET', '/v1/payments', { key })
    assert.deepEqual([payments.status, payments.body.data], [200, []])
  })

  test('contract 2: an illegal transition to paid answers conflict before the processor is checked', async () => {
    const invoice = await anInvoice(running, pair)
    const refused = await move(running, counterparty.key, invoice.id, 'paid')
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'conflict'])
  })

  test('transitions lists the moves open to the caller, their scopes and the side that must act', async () => {
    const invoice = await anInvoice(running, pair)
    const read = async (key: string) =>
      (await callApi(running, 'GET', `/v1/documents/${invoice.id}/transitions`, { key })).body
    assert.deepEqual(await read(issuer.key), {
      status: 'submitted',
      allowed: [{ to: 'cancelled', scopes: ['documents:write'] }],
      waiting_on: 'counterparty',
    })
    await move(running, counterparty.key, invoice.id, 'approved')
    const both = ['documents:write', 'payments:write']
    assert.deepEqual((await read(counterparty.key)).allowed, [
      { to: 'disputed', scopes: ['documents:write'] },
      { to: 'payment_scheduled', scopes: both },
      { to: 'paid', scopes: both },
    ])
    const { secret } = await aKey(running, counterparty, ['documents:read', 'documents:write'])
    assert.deepEqual((await read(secret)).allowed.length, 1)
    await move(running, counterparty.key, invoice.id, 'disputed')
    assert.equal((await read(issuer.key)).waiting_on, 'issuer')
  })

  test('the reason for a transition is recorded in the shared history', async () => {
    const invoice = await anInvoice(running, pair)
    const reason = { reason_code: 'QTY', note: 'Nine boards, not twelve' }
    await move(running, counterparty.key, invoice.id, 'rejected', reason)
    const [body] = await sharedBodies(running.database, sql`true`, 'Nine boards')
    const { reason_code, note } = JSON.parse(body!)
    assert.deepEqual({ reason_code, note }, reason)
  })
})

describe('contract 1 and 5: ETag, If-Match, dry run', () => {
  test('If-Match with another revision answers 412 with the current one; the current one passes', async () => {
    const draft = await aDraft(running, pair)
    const patch = (etag: string) =>
      callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
        key: issuer.key,
        body: { notes: 'x' },
        headers: { 'if-match': etag },
      })
    const refused = await patch('"7"')
    assert.deepEqual([refused.status, refused.body.error.details], [412, { current_revision: 1 }])
    assert.equal((await patch('"1"')).status, 200)
  })

  test('If-None-Match with the current revision answers 304 without a body', async () => {
    const draft = await aDraft(running, pair)
    const read = await callApi(running, 'GET', `/v1/documents/${draft.id}`, {
      key: issuer.key,
      headers: { 'if-none-match': '"1"' },
    })
    assert.deepEqual([read.status, read.text], [304, ''])
    assert.equal(read.headers.get('cache-control'), 'no-store', 'the other side has this ETag')
  })

  test('a dry run answers 200 with a null number and stores neither the draft nor the key', async () => {
    const idempotencyKey = 'dry-run-then-real'
    const headers = { 'idempotency-key': idempotencyKey, 'svc-dry-run': 'true' }
    const body = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
    const dry = await callApi(running, 'POST', '/v1/documents', { key: issuer.key, body, headers })
    assert.deepEqual(
      [dry.status, dry.body.number, dry.headers.get('svc-dry-run')],
      [200, null, 'true'],
    )
    const missing = await callApi(running, 'GET', `/v1/documents/${dry.body.id}`, {
      key: issuer.key,
    })
    assert.equal(missing.status, 404)
    const real = await callApi(running, 'POST', '/v1/documents', {
      key: issuer.key,
      body,
      headers: { 'idempotency-key': idempotencyKey },
    })
    assert.equal(real.status, 201)
    assert.equal(real.headers.get('idempotent-replay'), null)
  })
})
