/** A draft that was converted is issued only while its source still allows it (domain 1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertRefused } from '../../support/http/error-responses.ts'
import { type TestOrganization, aDraft, anInvoice, move } from '../../support/service.ts'
import { startTradingPair } from '../../support/documents/trading-pair.ts'

const { running, pair, seller, buyer, read, issue, convert, issued } = await startTradingPair()

describe('domain 1: the source still allows it', () => {
  for (const [to, by] of [
    ['closed', buyer],
    ['disputed', seller],
    ['fulfilled', buyer],
  ] as const) {
    test(`nothing is issued for an order that was ${to} meanwhile`, async () => {
      const order = await issued('purchase_order', 'accepted')
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

  test('nothing is issued for a contract that was closed meanwhile, though it may be pointed at', async () => {
    const contract = await issued('contract', 'accepted')
    const draft = await convert(contract, 'invoice', seller)
    await move(running, buyer.key, contract, 'closed')
    assertRefused(await issue(draft.body.id, seller), 'conflict', 'not_convertible')
    const references = [{ rel: 'relates_to', document_id: contract }]
    await anInvoice(running, pair, { references })
  })

  test('a refusal says what stands in the way and what is possible', async () => {
    const refused = async (source: string, to: string, by: TestOrganization) =>
      (await convert(source, to, by)).body.error
    const number = async (id: string) => (await read(id, seller)).issuer_number
    const quote = await issued('quote')
    const early = await refused(quote, 'invoice', seller)
    assert.equal(
      early.message,
      `${await number(quote)} is sent: a quote becomes an invoice only while it is accepted.`,
    )
    assert.deepEqual(early.details.convertible_in, ['accepted'])
    const order = await issued('purchase_order')
    const other = await refused(order, 'quote', seller)
    assert.equal(
      other.message,
      `${await number(order)} cannot become a quote: of a purchase order its counterparty makes an invoice or a delivery note.`,
    )
    assert.deepEqual(other.details.convertible_to, ['invoice', 'delivery_note'])
  })
})
