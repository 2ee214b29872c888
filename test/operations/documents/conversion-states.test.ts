/** A converted draft can be issued only while its source still allows it (domain 1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type TestOrganization, aDraft, anInvoice, move } from '../../support/fixtures.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, seller, buyer, issue, convert, issueDocument } = await startTradingPair()

describe('domain 1: the state of the source when a converted draft is issued', () => {
  for (const [to, by] of [
    ['closed', buyer],
    ['disputed', seller],
    ['fulfilled', buyer],
  ] as const) {
    test(`a draft for an order cannot be issued once the order is ${to}`, async () => {
      const order = await issueDocument('purchase_order', 'accepted')
      const [draft, notice] = [
        await convert(order, 'invoice', seller),
        await convert(order, 'delivery_note', seller),
      ]
      const references = [{ rel: 'bills', document_id: order }]
      const billing = await aDraft(running, pair, { references })
      assert.equal((await move(running, by.key, order, to)).status, 200)
      for (const { id } of [draft.body, notice.body, billing]) {
        assertRefused(await issue(id, seller), 'conflict', 'not_convertible')
      }
      if (to !== 'disputed') return
      await move(running, by.key, order, 'accepted')
      assert.equal((await issue(draft.body.id, seller)).status, 200)
    })
  }

  test('a draft for a contract cannot be issued once it is closed, but references to it are allowed', async () => {
    const contract = await issueDocument('contract', 'accepted')
    const draft = await convert(contract, 'invoice', seller)
    await move(running, buyer.key, contract, 'closed')
    assertRefused(await issue(draft.body.id, seller), 'conflict', 'not_convertible')
    const references = [{ rel: 'relates_to', document_id: contract }]
    await anInvoice(running, pair, { references })
  })

  test('a refusal states the blocking status and the possible conversions', async () => {
    const refused = async (source: string, to: string, by: TestOrganization) =>
      (await convert(source, to, by)).body.error
    const quote = await issueDocument('quote')
    const early = await refused(quote, 'invoice', seller)
    assert.equal(
      early.message,
      'The quote is sent: a quote becomes an invoice only while it is accepted.',
    )
    assert.deepEqual(early.details.convertible_in, ['accepted'])
    const order = await issueDocument('purchase_order')
    const other = await refused(order, 'quote', seller)
    assert.equal(
      other.message,
      'The purchase order cannot become a quote: the counterparty of a purchase order can only convert it to an invoice or a delivery note.',
    )
    assert.deepEqual(other.details.convertible_to, ['invoice', 'delivery_note'])
  })
})
