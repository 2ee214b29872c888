/** What becomes of what, and what its sources learn of it (domain 1, 2.3 and 2.4). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { conversions, convertibleStates } from '../../../src/contract/conversions.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import { sql } from '../../../src/database/sql.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  type TestOrganization,
  aDraft,
  exampleLine,
  anInvoice,
  callApi,
  move,
} from '../../support/service.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, seller, buyer, fromBuyer, sound, ...documents } = await startTradingPair()
const { read, issue, convert, issued, child } = documents

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

  test('lines, currency and terms go over; the draft is the caller’s and refers to its source', async () => {
    const more = { line_items: lines, currency: 'EUR', payment_terms: '2/10 net 45', notes: 'mine' }
    const quote = await read(await issued('quote', 'accepted', more), buyer)
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
    assert.equal((await read(quote.id, seller)).status, 'accepted', 'nothing yet')
  })

  test('what is sent counts instead; other references stand behind the source', async () => {
    const [order, contract] = [await issued('purchase_order'), await issued('contract')]
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
    test(`a ${from} becomes what the table says, for the side it says, in no other state`, async () => {
      const rows = conversions.filter((row) => row.from === from)
      const place = from === 'purchase_order' ? fromBuyer : pair
      const state = convertibleStates[from]?.includes('accepted') ? 'accepted' : undefined
      const source = await issued(from, state, await creditOf(from))
      for (const to of types.filter((type) => documentTypes[type].createdBy === 'api')) {
        for (const side of ['issuer', 'counterparty'] as const) {
          const row = rows.find((one) => one.to === to)
          const isLegal = row !== undefined && (row.by === side || row.by === 'either')
          const reply = await convert(source, to, place[side])
          if (isLegal) assert.equal(reply.status, 201, `${to} by the ${side}: ${reply.text}`)
          else assertRefused(reply, 'conflict', 'not_convertible')
        }
      }
      const more = { document_type: from, ...(await creditOf(from)) }
      const draft = (await aDraft(running, place, more)).id
      const withdrawn = await issued(from, undefined, more)
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
  async function creditOf(type: string): Promise<object> {
    if (type !== 'credit_note') return {}
    return { references: [{ rel: 'credits', document_id: await issued('invoice') }] }
  }

  test('a body that no draft takes is refused before the state, with every problem', async () => {
    const quote = await issued('quote')
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

  test('a refusal lists what this document can become now, for this side, and nothing else', async () => {
    const allowed = async (id: string, by: TestOrganization) =>
      assertRefused(await convert(id, 'statement', by), 'conflict', 'not_convertible')['allowed']
    assert.deepEqual(await allowed(await issued('quote'), seller), [])
    const quote = await issued('quote', 'accepted')
    const ofQuote = [await allowed(quote, seller), await allowed(quote, buyer)]
    assert.deepEqual(ofQuote, [['invoice'], ['purchase_order']])
    const order = await issued('purchase_order')
    const ofOrder = [await allowed(order, seller), await allowed(order, buyer)]
    assert.deepEqual(ofOrder, [['invoice', 'delivery_note'], ['goods_receipt']])
    const unknown = await convert(order, 'bill', seller)
    const { fix } = assertProblems(unknown, '/document_type invalid_value')[0]!
    assert(fix!.startsWith('send one of purchase_order, invoice, delivery_note, goods_receipt, cr'))
  })

  test('terms that name a day gone by are not taken over in silence', async () => {
    const more = { document_date: '2020-01-01', payment_terms: 'Due 2020-02-01' }
    const order = await issued('purchase_order', undefined, more)
    assertRefused(await convert(order, 'invoice', seller), 'conflict', 'terms_date_past')
    assert.equal((await convert(order, 'invoice', seller, { payment_terms: 'EOM' })).status, 201)
  })
})

describe('domain 2.4: a quote makes one document', () => {
  for (const [type, by] of [
    ['purchase_order', buyer],
    ['invoice', seller],
  ] as const) {
    test(`issuing the ${type} converts the quote; a second is refused`, async () => {
      const quote = await issued('quote', 'accepted')
      const second = (await convert(quote, type, by)).body.id
      const made = await child(quote, type, by)
      assert.equal(made.status, 200, made.text)
      const after = await read(quote, seller)
      assert.deepEqual([after.status, after.phase], ['converted', 'settled'])
      assertRefused(await issue(second, by), 'conflict', 'already_converted')
      assertRefused(await convert(quote, type, by), 'conflict', 'already_converted')
      assert.equal((await read(second, by)).status, 'draft')
    })
  }

  test('two children issued at the same moment: one is, the other is told', async () => {
    const quote = await issued('quote', 'accepted')
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

  test('a quote that is not accepted when the child is issued is not converted', async () => {
    const quote = await issued('quote')
    const references = [{ rel: 'converts', document_id: quote }]
    const draft = await aDraft(running, pair, { references })
    assertRefused(await issue(draft.id, seller), 'conflict', 'not_convertible')
    assert.equal((await read(quote, seller)).status, 'sent')
  })

  test('both sides are told why: status_changed with the cause', async () => {
    const quote = await issued('quote', 'accepted')
    await child(quote, 'purchase_order', buyer)
    for (const { uuid } of [seller, buyer]) {
      const [event] = await running.database.rows<{ payload: string }>(sql`
        select payload from events where organization_id = ${uuid}
          and payload like ${`%"id":"${quote}"%`} order by feed desc limit 1`)
      const { type, data } = JSON.parse(event!.payload)
      assert.deepEqual(
        [type, data.cause, data.previous_status, data.document.status],
        ['document.status_changed', 'child issued', 'accepted', 'converted'],
      )
    }
  })
})

describe('domain 2.3: an order and what is made from it', () => {
  const part = (unit_price: number) => ({ line_items: [{ ...exampleLine, unit_price }] })

  test('it is fulfilled when the invoices come to its subtotal', async () => {
    const order = await issued('purchase_order', 'accepted')
    await child(order, 'invoice', seller, part(60))
    assert.equal((await read(order, buyer)).status, 'accepted')
    await child(order, 'invoice', seller, part(40))
    assert.equal((await read(order, buyer)).status, 'fulfilled')
  })

  test('`bills` counts like `converts`; another currency does not', async () => {
    const order = await issued('purchase_order', 'accepted')
    const references = [{ rel: 'bills', document_id: order }]
    await anInvoice(running, pair, { references, currency: 'EUR' })
    assert.equal((await read(order, buyer)).status, 'accepted')
    await anInvoice(running, pair, { references })
    assert.equal((await read(order, buyer)).status, 'fulfilled')
  })

  test('invoiced in full before it is accepted: fulfilled when it is', async () => {
    const order = await issued('purchase_order')
    await child(order, 'invoice', seller)
    assert.equal((await read(order, buyer)).status, 'sent')
    assert.equal((await move(running, seller.key, order, 'accepted')).body.status, 'fulfilled')
  })

  test('an invoice that is rejected or cancelled counts no more', async () => {
    for (const [to, by] of [
      ['rejected', buyer],
      ['cancelled', seller],
    ] as const) {
      const order = await issued('purchase_order', 'accepted')
      const first = await child(order, 'invoice', seller, part(60))
      assert.equal((await move(running, by.key, first.body.id, to)).status, 200)
      await child(order, 'invoice', seller, part(60))
      assert.equal((await read(order, buyer)).status, 'accepted')
      await child(order, 'invoice', seller, part(40))
      assert.equal((await read(order, buyer)).status, 'fulfilled')
    }
  })

  test('the seller may cancel it only while nothing made from it stands', async () => {
    for (const [type, by] of [
      ['invoice', seller],
      ['delivery_note', seller],
      ['goods_receipt', buyer],
    ] as const) {
      const order = await issued('purchase_order', 'accepted')
      const made = await child(order, type, by, part(1))
      assert.deepEqual((await read(order, seller)).allowed_transitions, ['disputed'])
      assertRefused(await move(running, seller.key, order, 'cancelled'), 'conflict')
      await move(running, by.key, made.body.id, 'cancelled')
      assert.deepEqual((await read(order, seller)).allowed_transitions, ['disputed', 'cancelled'])
      assert.equal((await move(running, seller.key, order, 'cancelled')).status, 200)
    }
  })

  test('nothing is issued for an order that was withdrawn meanwhile', async () => {
    const order = await issued('purchase_order')
    const draft = await convert(order, 'invoice', seller)
    await move(running, buyer.key, order, 'cancelled')
    assertRefused(await issue(draft.body.id, seller), 'conflict', 'not_convertible')
  })
})

test('what is counted agrees with the links, whatever happened here', sound)
