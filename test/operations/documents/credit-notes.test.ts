/** Credit notes are applied on issue, and any remainder becomes a refund (domain 2.2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { changeDocument } from '../../support/documents/change-document.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { type Reply, callApi } from '../../support/api-client.ts'
import {
  type TestOrganization,
  type Pair,
  aDraft,
  anInvoice,
  move,
} from '../../support/fixtures.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'
import { storedEnvelopes } from '../../support/webhooks/stored-events.ts'

// Runs without tasks, because the auditor would put the tampered invoices on hold.
const { running, pair, seller, buyer, fromBuyer, convert, ...documents } = await startTradingPair({
  PROCESS_ROLE: 'api',
})
const read = (id: string, by: TestOrganization = seller) => documents.read(id, by)
const issue = ({ body }: Reply, by: TestOrganization = seller) => documents.issue(body.id, by)

const worth = (amount: number) => ({
  line_items: [{ description: 'Work', quantity: 1, unit_price: amount, tax_rate: 0 }],
})

/** An invoice of 100.00 that the buyer moves through these states. */
const invoiceAt = async (...states: string[]): Promise<string> => {
  const { id } = await anInvoice(running, pair, worth(100))
  for (const to of states) assert.equal((await move(running, buyer.key, id, to)).status, 200)
  return id
}

/** Marks this amount of the invoice as paid, as no payment through the service can. */
const markPaid = (invoice: string, amountMinor: number, status = 'paid') =>
  changeDocument(running, invoice, () => ({ status, amount_paid: BigInt(amountMinor) }))

const noteOn = (invoice: string, amount: number, more = {}, place: Pair = pair): Promise<Reply> =>
  callApi(running, 'POST', '/v1/documents', {
    key: place.issuer.key,
    body: {
      connection_id: place.connection,
      document_type: 'credit_note',
      references: [{ rel: 'credits', document_id: invoice }],
      ...worth(amount),
      ...more,
    },
  })

const credit = async (invoice: string, amount: number): Promise<Reply> =>
  issue(await noteOn(invoice, amount))

const amounts = (document: Record<string, unknown>) => [
  document['status'],
  document['amount_credited'],
  document['balance_due'],
]

describe('domain 2.2: application on issue', () => {
  test('a partial credit is applied, lowers the balance and keeps the status of the invoice', async () => {
    for (const states of [[], ['acknowledged'], ['approved'], ['disputed']]) {
      const invoice = await invoiceAt(...states)
      const { body, text } = await credit(invoice, 30)
      assert.deepEqual(amounts(body), ['applied', 30, 0], text)
      assert.equal(body.amount_applied, 30)
      for (const side of [seller, buyer]) {
        const shown = await read(invoice, side)
        assert.deepEqual(amounts(shown), [states.at(-1) ?? 'submitted', 30, 70])
      }
    }
  })

  for (const [state, cause] of [
    ['submitted', 'credited_in_full'],
    ['acknowledged', 'credited_in_full'],
    ['disputed', 'credited_in_full'],
    ['approved', 'balance_zero'],
  ] as const) {
    test(`a full credit moves an invoice from ${state} to paid (${cause}) and notifies both sides`, async () => {
      const invoice = await invoiceAt(...(state === 'submitted' ? [] : [state]))
      await credit(invoice, 60)
      await credit(invoice, 40)
      const shown = await read(invoice)
      assert.deepEqual([...amounts(shown), shown.dispute], ['paid', 100, 0, null])
      for (const { uuid } of [seller, buyer]) {
        const events = await storedEnvelopes(running.database, uuid)
        assert.deepEqual(
          events
            .filter(({ data }) => data.document.id === invoice)
            .slice(-2)
            .map(({ type, data }) => [type, data.cause, data.document.balance_due]),
          [
            ['document.edited', 'credited', 40],
            ['document.status_changed', cause, 0],
          ],
        )
      }
    })
  }

  test('a credit beyond the balance remains on the note as a refund', async () => {
    const invoice = await invoiceAt('approved')
    await markPaid(invoice, 7000, 'approved')
    const { body, text } = await credit(invoice, 45)
    assert.deepEqual(amounts(body), ['submitted', 30, 15], text)
    const bill = await move(running, buyer.key, body.id, 'approved')
    assert.deepEqual([bill.status, bill.body.payable], [200, false])
    const refund = await read(body.id)
    assert.deepEqual([refund.payable, refund.balance_due], [true, 15])
    assert.deepEqual(refund.allowed_transitions, ['disputed', 'payment_scheduled', 'paid'])
    const paying = await move(running, seller.key, body.id, 'paid')
    assert.deepEqual([paying.body.status, paying.body.balance_due], ['paid', 0], paying.text)
    const after = await read(invoice)
    assert.deepEqual([...amounts(after), after.amount_paid], ['paid', 30, 0, 70])
  })

  test('after a partial credit for a dispute, the buyer approves the reduced balance', async () => {
    const invoice = await invoiceAt('disputed')
    await credit(invoice, 20)
    const { body } = await move(running, buyer.key, invoice, 'approved')
    assert.deepEqual(
      [...amounts(body), body.dispute, body.payable],
      ['approved', 20, 80, null, true],
    )
  })

  test('a credited invoice cannot be cancelled, and an applied note cannot be rejected or cancelled', async () => {
    const invoice = await invoiceAt()
    const note = await credit(invoice, 30)
    assert.deepEqual((await read(invoice)).allowed_transitions, [])
    assertRefused(await move(running, seller.key, invoice, 'cancelled'), 'conflict')
    for (const [to, by] of [
      ['rejected', buyer],
      ['cancelled', seller],
    ] as const) {
      assertRefused(await move(running, by.key, note.body.id, to), 'conflict', 'illegal_transition')
    }
  })

  test('a note of zero is applied and changes nothing', async () => {
    const invoice = await invoiceAt()
    assert.deepEqual(amounts((await credit(invoice, 0)).body), ['applied', 0, 0])
    assert.deepEqual(amounts(await read(invoice)), ['submitted', 0, 100])
  })

  test('a note converted from an invoice credits the whole invoice', async () => {
    const invoice = await invoiceAt()
    const draft = await convert(invoice, 'credit_note', seller)
    assert.deepEqual(draft.body.references, [{ rel: 'credits', document_id: invoice }])
    assert.equal((await issue(draft)).body.status, 'applied')
    assert.equal((await read(invoice)).status, 'paid')
  })
})

describe('domain 2.2: refused credits', () => {
  test('a credit note needs exactly one `credits` reference, from its creation on', async () => {
    const [one, two] = [await invoiceAt(), await invoiceAt()]
    const refer = (...ids: string[]) => ({
      references: ids.map((document_id) => ({ rel: 'credits', document_id })),
    })
    assertProblems(await noteOn(one, 1, { references: [] }), '/references required')
    assertProblems(
      await noteOn(one, 1, { references: [{ rel: 'relates_to', document_id: one }] }),
      '/references required',
    )
    assertProblems(await noteOn(one, 1, refer(one, two)), '/references invalid_value')
    const { id } = (await noteOn(one, 1)).body
    const patch = (body: object) =>
      callApi(running, 'PATCH', `/v1/documents/${id}`, { key: seller.key, body })
    assertProblems(await patch(refer()), '/references required')
    assert.equal((await patch(refer(two))).status, 200)
    assert.equal((await patch({ notes: 'unchanged' })).body.references[0].document_id, two)
  })

  test('a note above the remaining creditable amount is refused', async () => {
    const invoice = await invoiceAt()
    await credit(invoice, 70)
    const details = assertRefused(await credit(invoice, 30.01), 'conflict', 'not_creditable')
    assert.equal(details.creditable, 30)
    assert.equal((await credit(invoice, 30)).status, 200)
    const none = await credit(invoice, 0.01)
    assert.equal(assertRefused(none, 'conflict', 'not_creditable').creditable, 0)
    assert.match(none.body.error.message, / has nothing left to credit\. Change `references` /)
  })

  test('nothing can be credited of an invoice that was rejected, whatever its total', async () => {
    const rejected = await credit(await invoiceAt('rejected'), 1)
    assert.equal(assertRefused(rejected, 'conflict', 'not_creditable').creditable, 0)
    assert.match(rejected.body.error.message, / is rejected: nothing is left to credit\. /)
  })

  test('concurrent notes never credit more than the balance', async () => {
    const invoice = await invoiceAt()
    const notes = await Promise.all([60, 60, 60].map((amount) => noteOn(invoice, amount)))
    const replies = await Promise.all(notes.map((note) => issue(note)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409])
    assert.deepEqual(amounts(await read(invoice)), ['submitted', 60, 40])
  })

  test('a rejected note releases its claim', async () => {
    const invoice = await invoiceAt('approved')
    await markPaid(invoice, 10_000)
    const note = await credit(invoice, 80)
    assert.deepEqual(amounts(note.body), ['submitted', 0, 80])
    assertRefused(await credit(invoice, 80), 'conflict', 'not_creditable')
    assert.equal((await move(running, buyer.key, note.body.id, 'rejected')).status, 200)
    assert.equal((await credit(invoice, 80)).status, 200)
  })

  test('a note needs an open invoice of its own issuer and currency', async () => {
    const rejected = await invoiceAt('rejected')
    const cancelled = await invoiceAt()
    await move(running, seller.key, cancelled, 'cancelled')
    const quote = await anInvoice(running, pair, { document_type: 'quote', ...worth(100) })
    const notes: [Reply, TestOrganization][] = [
      [await noteOn(rejected, 1), seller],
      [await noteOn(cancelled, 1), seller],
      [await noteOn(await invoiceAt(), 1, { currency: 'EUR' }), seller],
      [await noteOn(await invoiceAt(), 1, {}, fromBuyer), buyer],
      [await noteOn(quote.id, 1), seller],
    ]
    for (const [note, by] of notes) {
      assertRefused(await issue(note, by), 'conflict', 'not_creditable')
      assert.equal((await read(note.body.id, by)).status, 'draft')
    }
    const draft = await aDraft(running, pair, worth(100))
    assertRefused(await issue(await noteOn(draft.id, 1)), 'conflict', 'reference_not_issued')
  })
})

test('property: after any credits, balance_due = total − amount_paid − amount_credited', async () => {
  const cents = (amount: number) => Math.round(amount * 100)
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 5_000 }),
    fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 5 }),
    fc.constantFrom('submitted', 'acknowledged', 'approved', 'disputed'),
    async (total, credits, state) => {
      const { id } = await anInvoice(running, pair, worth(total / 100))
      if (state !== 'submitted') await move(running, buyer.key, id, state)
      let credited = 0
      for (const amount of credits) {
        const { status, body } = await credit(id, amount / 100)
        assert.equal(status, credited + amount <= total ? 200 : 409)
        if (status === 200) {
          credited += amount
          assert.deepEqual(amounts(body), ['applied', amount / 100, 0])
        }
        const invoice = await read(id)
        const { total: shown, amount_paid, amount_credited, balance_due } = invoice
        assert.equal(cents(amount_credited), credited)
        assert.equal(cents(balance_due), cents(shown) - cents(amount_paid) - cents(amount_credited))
        if (credited > 0) assert.equal(invoice.status === 'paid', balance_due === 0)
      }
    },
  )
  await fc.assert(property, { numRuns: process.env['LONG'] === '1' ? 1_000 : 25 })
})

test('numbers, feeds, list rows, histories and the ledger agree after a note is applied', async () => {
  const untouched = await startTradingPair()
  const { id } = await anInvoice(untouched.running, untouched.pair, worth(50))
  const note = await untouched.convertAndIssue(id, 'credit_note', untouched.seller)
  assert.equal(note.body.status, 'applied')
  await untouched.assertConsistent()
})
