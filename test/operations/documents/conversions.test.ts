/** Conversions between documents and their effects on the source (domain 1, 2.3 and 2.4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conversions, convertibleStates } from '../../../src/contract/conversions.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import {
  type TestOrganization,
  aDraft,
  exampleLine,
  anInvoice,
  move,
} from '../../support/fixtures.ts'
import { inDays } from '../../support/dates.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { storedEnvelopes } from '../../support/webhooks/stored-events.ts'

const { running, pair, seller, buyer, fromBuyer, assertConsistent, ...documents } =
  await startTradingPair()
const { read, issue, convert, issueDocument, convertAndIssue } = documents

describe('domain 1: conversion', () => {
  const lines = [
    {
      ...exampleLine,
      sku: 'A-1',
      discount_type: 'percent',
      discount_value: 12.5,
      tax_category: 'S',
    },
    { ...exampleLine, quantity: 0.000001, unit_price: 19.99, tax_rate: 0 },
  ]

  test('a conversion copies lines, currency and terms into the caller’s draft, which refers to its source', async () => {
    const more = { line_items: lines, currency: 'EUR', payment_terms: '2/10 net 45', notes: 'mine' }
    const quote = await read(await issueDocument('quote', 'accepted', more), buyer)
    const { status, body, headers } = await convert(quote.id, 'purchase_order', buyer)
    assert.deepEqual([status, headers.get('location')], [201, `/v1/documents/${body.id}`])
    for (const field of ['line_items', 'currency', 'payment_terms', 'total', 'connection_id']) {
      assert.deepEqual(body[field], quote[field], field)
    }
    assert.deepEqual(
      [body.document_type, body.status, body.direction, body.notes, body.issuer.organization_id],
      ['purchase_order', 'draft', 'issued', null, buyer.id],
    )
    assert.deepEqual(body.references, [{ rel: 'converts', document_id: quote.id }])
    assert.equal((await callApi(running, 'GET', `/v1/documents/${body.id}`, seller)).status, 404)
    assert.equal(
      (await read(quote.id, seller)).status,
      'accepted',
      'the draft has no effect on the quote',
    )
  })

  test('fields of the request override the copied ones, and extra references follow the source', async () => {
    const [order, contract] = [
      await issueDocument('purchase_order'),
      await issueDocument('contract'),
    ]
    const { body, text } = await convert(order, 'invoice', seller, {
      line_items: [exampleLine],
      currency: 'GBP',
      due_date: '2030-01-31',
      notes: 'Part one',
      metadata: { batch: '1' },
      external_refs: { issuer_ref: 'R-1' },
      document_date: '2030-01-01',
      references: [{ rel: 'relates_to', document_id: contract }],
    })
    assert.deepEqual(
      [body.total, body.currency, body.payment_terms, body.notes, body.document_date],
      [1080, 'GBP', 'Net 30', 'Part one', '2030-01-01'],
      text,
    )
    assert.deepEqual(body.references, [
      { rel: 'converts', document_id: order },
      { rel: 'relates_to', document_id: contract },
    ])
  })

  const types = Object.keys(documentTypes) as (keyof typeof documentTypes)[]
  for (const from of types.filter((type) => documentTypes[type].createdBy === 'api')) {
    test(`a ${from} converts only to the types, for the sides and in the states that the table lists`, async () => {
      const rows = conversions.filter((row) => row.from === from)
      const place = from === 'purchase_order' ? fromBuyer : pair
      const state = convertibleStates[from]?.includes('accepted') ? 'accepted' : undefined
      const source = await issueDocument(from, state, await requiredReferences(from))
      for (const to of types.filter((type) => documentTypes[type].createdBy === 'api')) {
        for (const side of ['issuer', 'counterparty'] as const) {
          const row = rows.find((conversion) => conversion.to === to)
          const isLegal = row !== undefined && (row.by === side || row.by === 'either')
          const reply = await convert(source, to, place[side])
          if (isLegal) assert.equal(reply.status, 201, `${to} by the ${side}: ${reply.text}`)
          else assertRefused(reply, 'conflict', 'not_convertible')
        }
      }
      const more = { document_type: from, ...(await requiredReferences(from)) }
      const draft = (await aDraft(running, place, more)).id
      const withdrawn = await issueDocument(from, undefined, more)
      await move(running, place.issuer.key, withdrawn, 'cancelled')
      for (const { to } of rows) {
        for (const by of [seller, buyer]) {
          assertRefused(await convert(withdrawn, to, by), 'conflict', 'not_convertible')
        }
        assertRefused(await convert(draft, to, place.issuer), 'conflict', 'not_convertible')
        assertRefused(await convert(draft, to, place.counterparty), 'not_found')
      }
    })
  }

  /** A credit note needs an invoice. */
  async function requiredReferences(type: string): Promise<object> {
    if (type !== 'credit_note') return {}
    return { references: [{ rel: 'credits', document_id: await issueDocument('invoice') }] }
  }

  test('an invalid body is refused before the state is checked, with every problem listed', async () => {
    const quote = await issueDocument('quote')
    const line_items = [{ ...exampleLine, tax_rate: 8 }]
    assertProblems(
      await convert(quote, 'invoice', seller, { line_items }),
      '/line_items/0/tax_rate out_of_range',
    )
    assertProblems(await convert(quote, 'agreement', seller), '/document_type invalid_value')
    const more = { total: 3, number: 'X', nonsense: 1 }
    assertProblems(
      await convert(quote, 'invoice', seller, more),
      '/total read_only',
      '/number read_only',
      '/nonsense unknown_field',
    )
  })

  test('a refusal lists exactly the conversions that this side can make now', async () => {
    const allowed = async (id: string, by: TestOrganization) =>
      assertRefused(await convert(id, 'statement', by), 'conflict', 'not_convertible')['allowed']
    assert.deepEqual(await allowed(await issueDocument('quote'), seller), [])
    const quote = await issueDocument('quote', 'accepted')
    const ofQuote = [await allowed(quote, seller), await allowed(quote, buyer)]
    assert.deepEqual(ofQuote, [['invoice'], ['purchase_order']])
    const order = await issueDocument('purchase_order')
    const ofOrder = [await allowed(order, seller), await allowed(order, buyer)]
    assert.deepEqual(ofOrder, [['invoice', 'delivery_note'], ['goods_receipt']])
    const unknown = await convert(order, 'memo', seller)
    const { fix } = assertProblems(unknown, '/document_type invalid_value')[0]!
    assert(fix!.startsWith('send one of purchase_order, invoice, delivery_note, goods_receipt, cr'))
  })

  test('payment terms that name a past date are refused, not copied silently', async () => {
    const more = { document_date: '2020-01-01', payment_terms: 'Due 2020-02-01' }
    const order = await issueDocument('purchase_order', undefined, more)
    assertRefused(await convert(order, 'invoice', seller), 'conflict', 'terms_date_past')
    assert.equal((await convert(order, 'invoice', seller, { payment_terms: 'EOM' })).status, 201)
  })

  test('the agreed terms are those of the source, unless the request names others', async () => {
    const termsAfter = async (payment_terms: string, body: object) => {
      const order = await issueDocument('purchase_order', undefined, { payment_terms })
      const converted = await convert(order, 'invoice', seller, body)
      assert.equal(converted.status, 201, converted.text)
      return [converted.body.payment_terms, converted.body.due_date]
    }
    assert.deepEqual(await termsAfter('Net 45', { due_date: null }), ['Net 45', inDays(45)])
    const dated = { due_date: inDays(9) }
    assert.deepEqual(await termsAfter('Net 45', dated), ['Net 9', inDays(9)])
    assert.deepEqual(await termsAfter('On delivery', dated), ['On delivery', inDays(9)])
    assert.deepEqual(await termsAfter('Net 45', { payment_terms: null }), [null, null])
    const order = await issueDocument('purchase_order', undefined, { payment_terms: 'Net 45' })
    const past = await convert(order, 'invoice', seller, { due_date: '2020-01-01' })
    assertProblems(past, '/due_date out_of_range')
  })
})

describe('domain 2.4: a quote converts into one document', () => {
  for (const [type, by] of [
    ['purchase_order', buyer],
    ['invoice', seller],
  ] as const) {
    test(`issuing the ${type} converts the quote, and a second child is refused`, async () => {
      const quote = await issueDocument('quote', 'accepted')
      const second = (await convert(quote, type, by)).body.id
      const reply = await convertAndIssue(quote, type, by)
      assert.equal(reply.status, 200, reply.text)
      const after = await read(quote, seller)
      assert.deepEqual([after.status, after.phase], ['converted', 'settled'])
      assertRefused(await issue(second, by), 'conflict', 'already_converted')
      assertRefused(await convert(quote, type, by), 'conflict', 'already_converted')
      assert.equal((await read(second, by)).status, 'draft')
    })
  }

  test('exactly one of several concurrently issued children converts the quote', async () => {
    const quote = await issueDocument('quote', 'accepted')
    const drafts = await Promise.all([
      convert(quote, 'purchase_order', buyer),
      convert(quote, 'invoice', seller),
      convert(quote, 'purchase_order', buyer),
    ])
    const owners = [buyer, seller, buyer]
    const replies = await Promise.all(drafts.map(({ body }, i) => issue(body.id, owners[i]!)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409])
    for (const reply of replies.filter(({ status }) => status === 409)) {
      assertRefused(reply, 'conflict', 'already_converted')
    }
  })

  test('a child cannot be issued while its quote is not accepted', async () => {
    const quote = await issueDocument('quote')
    const references = [{ rel: 'converts', document_id: quote }]
    const draft = await aDraft(running, pair, { references })
    assertRefused(await issue(draft.id, seller), 'conflict', 'not_convertible')
    assert.equal((await read(quote, seller)).status, 'sent')
  })

  test('both sides receive status_changed with its cause', async () => {
    const quote = await issueDocument('quote', 'accepted')
    await convertAndIssue(quote, 'purchase_order', buyer)
    for (const { uuid } of [seller, buyer]) {
      const events = await storedEnvelopes(running.database, uuid)
      const { type, data } = events.findLast(({ data: { document } }) => document.id === quote)
      assert.deepEqual(
        [type, data.cause, data.previous_status, data.document.status],
        ['document.status_changed', 'child issued', 'accepted', 'converted'],
      )
    }
  })
})

describe('domain 2.3: an order and its children', () => {
  const part = (unit_price: number) => ({ line_items: [{ ...exampleLine, unit_price }] })

  test('an order is fulfilled when its invoices reach its subtotal', async () => {
    const order = await issueDocument('purchase_order', 'accepted')
    await convertAndIssue(order, 'invoice', seller, part(60))
    assert.equal((await read(order, buyer)).status, 'accepted')
    await convertAndIssue(order, 'invoice', seller, part(40))
    assert.equal((await read(order, buyer)).status, 'fulfilled')
  })

  test('an invoice that `bills` counts like one that `converts`, unless its currency differs', async () => {
    const order = await issueDocument('purchase_order', 'accepted')
    const references = [{ rel: 'bills', document_id: order }]
    await anInvoice(running, pair, { references, currency: 'EUR' })
    assert.equal((await read(order, buyer)).status, 'accepted')
    await anInvoice(running, pair, { references })
    assert.equal((await read(order, buyer)).status, 'fulfilled')
  })

  test('an order invoiced in full before acceptance is fulfilled on acceptance', async () => {
    const order = await issueDocument('purchase_order')
    await convertAndIssue(order, 'invoice', seller)
    assert.equal((await read(order, buyer)).status, 'sent')
    assert.equal((await move(running, seller.key, order, 'accepted')).body.status, 'fulfilled')
  })

  test('a rejected or cancelled invoice no longer counts', async () => {
    for (const [to, by] of [
      ['rejected', buyer],
      ['cancelled', seller],
    ] as const) {
      const order = await issueDocument('purchase_order', 'accepted')
      const first = await convertAndIssue(order, 'invoice', seller, part(60))
      assert.equal((await move(running, by.key, first.body.id, to)).status, 200)
      await convertAndIssue(order, 'invoice', seller, part(60))
      assert.equal((await read(order, buyer)).status, 'accepted')
      await convertAndIssue(order, 'invoice', seller, part(40))
      assert.equal((await read(order, buyer)).status, 'fulfilled')
    }
  })

  test('the seller may cancel an order only while it has no active children', async () => {
    for (const [type, by] of [
      ['invoice', seller],
      ['delivery_note', seller],
      ['goods_receipt', buyer],
    ] as const) {
      const order = await issueDocument('purchase_order', 'accepted')
      const reply = await convertAndIssue(order, type, by, part(1))
      assert.deepEqual((await read(order, seller)).allowed_transitions, ['disputed'])
      assertRefused(await move(running, seller.key, order, 'cancelled'), 'conflict')
      await move(running, by.key, reply.body.id, 'cancelled')
      assert.deepEqual((await read(order, seller)).allowed_transitions, ['disputed', 'cancelled'])
      assert.equal((await move(running, seller.key, order, 'cancelled')).status, 200)
    }
  })

  test('a draft for an order cannot be issued once the order is cancelled', async () => {
    const order = await issueDocument('purchase_order')
    const draft = await convert(order, 'invoice', seller)
    await move(running, buyer.key, order, 'cancelled')
    assertRefused(await issue(draft.body.id, seller), 'conflict', 'not_convertible')
  })
})

test('the stored counts agree with the links after every test of this file', assertConsistent)
