/** Domain 7: which references of the issuer an export carries, and how it names them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { readPdf } from '../../support/documents/pdf-reader.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { sellerProfile, setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const { issuer, counterparty } = pair

const stated = { order_ref: 'PO-99', buyer_ref: '04011000-12345-34' }

describe('domain 7: references of the issuer in exports', () => {
  for (const format of ['ubl', 'cii', 'peppol_cii']) {
    test(`${format}: the order of an imported file leaves again, as the buyer’s reference does`, async () => {
      const first = await anInvoice(running, pair, { external_refs: stated })
      const imported = await importFile(running, pair, await exportOf(running, pair, first, format))
      const { id, external_refs } = imported.body
      const expected = { issuer_ref: first.number, ...stated }
      assert.deepEqual(external_refs, expected, imported.text)
      await callApi(running, 'POST', `/v1/documents/${id}/issue`, { key: issuer.key })
      const again = await importFile(running, pair, await exportOf(running, pair, { id }, format))
      const { order_ref, buyer_ref, issuer_ref } = again.body.external_refs
      assert.deepEqual({ order_ref, buyer_ref }, stated, again.text)
      assert.notEqual(issuer_ref, first.number, 'each import gets a number of its own')
    })
  }

  test('csv: the order of an exported file comes back', async () => {
    const first = await anInvoice(running, pair, { external_refs: stated })
    const imported = await importFile(running, pair, await exportOf(running, pair, first, 'csv'))
    const { order_ref, issuer_ref } = imported.body.external_refs
    assert.deepEqual([order_ref, issuer_ref], ['PO-99', first.number], imported.text)
  })

  test('an order on record stands before one that the issuer states', async () => {
    const buyer = { ...pair, issuer: counterparty, counterparty: issuer }
    const order = await aDraft(running, buyer, { document_type: 'purchase_order' })
    const path = `/v1/documents/${order.id}/issue`
    const { body } = await callApi(running, 'POST', path, { key: counterparty.key })
    const references = [{ rel: 'bills', document_id: order.id }]
    for (const [more, expected] of [
      [{ external_refs: stated }, 'PO-99'],
      [{ external_refs: stated, references }, body.number],
      [{ external_refs: { order_ref: ' ' } }, undefined],
    ] as const) {
      const invoice = await anInvoice(running, pair, more)
      const ubl = await exportOf(running, pair, invoice, 'ubl')
      const cii = await exportOf(running, pair, invoice, 'cii')
      const [header, row] = (await exportOf(running, pair, invoice, 'csv')).split('\r\n')
      assert.equal(/<cac:OrderReference><cbc:ID>([^<]+)/.exec(ubl)?.[1], expected)
      assert.equal(/<ram:BuyerOrderReferencedDocument>.*?>([^<]+)/.exec(cii)?.[1], expected)
      assert.equal(header!.split(',').at(-1), 'order_number')
      assert.equal(row!.split(',').at(-1), expected ?? '')
    }
  })

  for (const [locale, names] of [
    ['en', ['Our reference: SO-1', 'Order number: PO-99', 'Buyer reference: 04011000-12345-34']],
    ['de', ['Unser Zeichen: SO-1', 'Bestellnummer: PO-99', 'Käuferreferenz: 04011000-12345-34']],
  ] as const) {
    test(`${locale}: the PDF names them, and a key of the issuer’s own as it is`, async () => {
      await setProfile(running, issuer, { ...sellerProfile, locale })
      const external_refs = { ...stated, issuer_ref: 'SO-1', crane: '7' }
      const { id } = await anInvoice(running, pair, { external_refs })
      const url = `${running.baseUrl}/v1/documents/${id}/render?format=pdf`
      const response = await fetch(url, { headers: { authorization: `Bearer ${issuer.key}` } })
      const { pages } = readPdf(Buffer.from(await response.arrayBuffer()))
      for (const text of [...names, 'crane: 7']) assert(pages[0]!.includes(text), pages[0]!)
    })
  }
})
