/** Specification 2, clause by clause: the fields of documents, lines, keys, endpoints and lists. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, exampleLine, move } from '../support/fixtures.ts'
import { assertProblems } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, counterparty, connection } = pair

const create = (more: Record<string, unknown>) =>
  callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body: {
      connection_id: connection,
      document_type: 'invoice',
      line_items: [exampleLine],
      ...more,
    },
  })

const createLine = (more: Record<string, unknown>) =>
  create({ line_items: [{ ...exampleLine, ...more }] })

describe('specification 2.1: documents', () => {
  test('number, direction and label differ per viewer, and everything shared is equal', async () => {
    const issued = await anInvoice(running, pair)
    const { body: bill } = await callApi(running, 'GET', `/v1/documents/${issued.id}`, {
      key: counterparty.key,
    })
    assert.match(issued.number, /^INV-\d{6}$/)
    assert.match(bill.number, /^BILL-\d{6}$/)
    assert.deepEqual(
      [issued.direction, issued.label, bill.direction, bill.label],
      ['issued', 'Invoice', 'received', 'Bill'],
    )
    for (const field of [
      'id',
      'connection_id',
      'document_type',
      'total',
      'currency',
      'line_items',
    ]) {
      assert.deepEqual(bill[field], issued[field], field)
    }
  })

  test('a document holds 1 to 200 lines', async () => {
    for (const line_items of [[], Array.from({ length: 201 }, () => exampleLine)]) {
      assertProblems(await create({ line_items }), '/line_items out_of_range')
    }
    const full = await create({ line_items: Array.from({ length: 200 }, () => exampleLine) })
    assert.deepEqual([full.status, full.body.line_items.length], [201, 200])
  })

  test('subtotal, tax and total are derived from the lines, and never supplied', async () => {
    const draft = await aDraft(running, pair)
    assert.deepEqual([draft.subtotal, draft.tax, draft.total], [1000, 80, 1080])
    for (const field of ['subtotal', 'total', 'number', 'status', 'balance_due', 'origin']) {
      assertProblems(await create({ [field]: 1 }), `/${field} read_only`)
    }
  })

  test('balance_due goes to zero when the document settles', async () => {
    const { id } = await anInvoice(running, pair)
    const approved = await move(running, counterparty.key, id, 'approved')
    assert.equal(approved.body.balance_due, 1080)
    const { body: paid } = await callApi(running, 'POST', `/v1/documents/${id}/pay`, {
      key: counterparty.key,
    })
    assert.deepEqual([paid.status, paid.balance_due], ['paid', 0])
  })

  test('the currency is one of USD, EUR, GBP and CAD', async () => {
    for (const currency of ['USD', 'EUR', 'GBP', 'CAD']) {
      assert.equal((await create({ currency })).body.currency, currency)
    }
    assertProblems(await create({ currency: 'JPY' }), '/currency invalid_value')
  })

  test('the missing half of the payment terms is derived', async () => {
    const dated = { document_date: '2026-01-31' }
    const fromText = await aDraft(running, pair, { ...dated, payment_terms: 'Net 30' })
    assert.equal(fromText.due_date, '2026-03-02')
    const fromDate = await aDraft(running, pair, { ...dated, due_date: '2026-03-02' })
    assert.equal(fromDate.payment_terms, 'Net 30')
  })

  test('external_refs holds the references of the caller, and search finds issuer_ref', async () => {
    const external_refs = { issuer_ref: 'ERP-77-4711' }
    const { id } = await anInvoice(running, pair, { external_refs, notes: null })
    for (const { key } of [issuer, counterparty]) {
      const { body } = await callApi(running, 'GET', '/v1/documents?query=ERP-77-4711', { key })
      assert.deepEqual(
        body.data.map((found: { id: string }) => found.id),
        [id],
      )
      assert.deepEqual(body.data[0].external_refs, external_refs)
    }
  })

  test('the origin of a write by API is api, and a body cannot supply it', async () => {
    assert.equal((await aDraft(running, pair)).origin, 'api')
    assertProblems(await create({ origin: 'app' }), '/origin read_only')
  })

  test('a tax field of the document is refused, and the refusal says where tax belongs', async () => {
    for (const field of ['tax', 'tax_rate', 'tax_amount', 'vat']) {
      const refused = await create({ [field]: 8 })
      assertProblems(refused, `/${field} tax_is_per_line`)
      assert.match(refused.body.error.details.errors[0].fix, /line_items\[\]\.tax_rate/)
    }
  })

  test('the history attributes a write to its key, by prefix and id', async () => {
    const { id } = await anInvoice(running, pair)
    const { body } = await callApi(running, 'GET', `/v1/documents/${id}/history`, {
      key: issuer.key,
    })
    const { body: key } = await callApi(running, 'GET', `/v1/keys/${issuer.keyId}`, {
      key: issuer.session,
    })
    const [first] = body.entries
    assert.equal(first.actor.kind, 'api_key')
    assert.deepEqual([first.actor.key_id, first.actor.key_prefix], [issuer.keyId, key.prefix])
  })
})

describe('specification 2.2: lines', () => {
  test('description, quantity, unit_price and tax_rate are required', async () => {
    for (const field of ['description', 'quantity', 'unit_price', 'tax_rate']) {
      assertProblems(await createLine({ [field]: undefined }), `/line_items/0/${field} required`)
    }
  })

  test('quantity and unit_price are at least 0, and 0 is accepted', async () => {
    for (const field of ['quantity', 'unit_price']) {
      assertProblems(await createLine({ [field]: -1 }), `/line_items/0/${field} out_of_range`)
      assert.equal((await createLine({ [field]: 0 })).body.total, 0)
    }
  })

  test('tax_rate is a decimal per line: 0.08 means 8 %, and 0 is untaxed', async () => {
    assert.equal((await createLine({ tax_rate: 0.08 })).body.tax, 80)
    assert.equal((await createLine({ tax_rate: 0 })).body.tax, 0)
    assertProblems(await createLine({ tax_rate: 8 }), '/line_items/0/tax_rate out_of_range')
  })

  test('sku, discount_type and discount_value are optional, and a discount acts before tax', async () => {
    const percent = { sku: 'OAK-1', discount_type: 'percent', discount_value: 10 }
    const { body } = await createLine(percent)
    assert.deepEqual([body.subtotal, body.tax, body.line_items[0].sku], [900, 72, 'OAK-1'])
    const fixed = await createLine({ discount_type: 'fixed', discount_value: 50 })
    assert.deepEqual([fixed.body.subtotal, fixed.body.tax], [950, 76])
    const none = await createLine({ sku: null, discount_type: null })
    assert.deepEqual([none.body.subtotal, none.body.line_items[0].sku], [1000, null])
  })
})

describe('specification 2.3 and 2.5: keys and lists', () => {
  test('the secret of a key is in the creating response only, and its prefix is shown forever', async () => {
    const created = await callApi(running, 'POST', '/v1/keys', {
      key: issuer.session,
      body: { name: 'ERP', scopes: ['documents:read'] },
    })
    assert.equal(created.status, 201, created.text)
    const { key, ...record } = created.body
    assert.match(key, /^rk_test_/)
    assert.equal(record.prefix, key.slice(0, record.prefix.length))
    assert.deepEqual(
      [record.expires_at, record.allowed_cidrs, record.last_used_at],
      [null, [], null],
    )
    const { body } = await callApi(running, 'GET', `/v1/keys/${record.id}`, { key: issuer.session })
    assert.deepEqual(body, record)
  })

  test('payment_limits are accepted only with payments:write', async () => {
    const refused = await callApi(running, 'POST', '/v1/keys', {
      key: issuer.session,
      body: { name: 'ERP', scopes: ['documents:read'], payment_limits: { daily_volume: 10 } },
    })
    assertProblems(refused, '/payment_limits invalid_value')
  })

  test('a list has data, next_cursor and has_more, which says whether there is a cursor', async () => {
    const { body } = await callApi(running, 'GET', '/v1/documents?limit=1', { key: issuer.key })
    assert.deepEqual(Object.keys(body).toSorted(), ['data', 'has_more', 'next_cursor'])
    assert.deepEqual([body.data.length, body.has_more], [1, body.next_cursor !== null])
  })
})
