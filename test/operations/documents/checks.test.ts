/** Domain 7: which rules of others an export would break. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  buyerProfile,
  sellerProfile,
  setProfile,
  withProfiles,
} from '../../support/identity/profiles.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const complete = await withProfiles(running, await aPair(running))

const ask = (id: string, format: string, { key } = complete.issuer) =>
  callApi(running, 'GET', `/v1/documents/${id}/checks?format=${format}`, { key })

const brokenBy = async (id: string, format: string, by = complete.issuer): Promise<string[]> => {
  const { status, body, text } = await ask(id, format, by)
  assert.equal(status, 200, text)
  return body.problems.map(({ rule, field }: Record<string, string>) => `${rule} ${field}`)
}

const line = { description: 'Wool', quantity: 1, unit_price: 10 }

describe('domain 7: checks before an export', () => {
  test('a complete draft breaks no rule, and neither side of an invoice sees one', async () => {
    assert.deepEqual(await brokenBy((await aDraft(running, complete)).id, 'ubl'), [])
    const { id } = await anInvoice(running, complete)
    assert.deepEqual(await brokenBy(id, 'cii', complete.counterparty), [])
  })

  test('a format that follows no rules of others is answered with one that does', async () => {
    const { id } = await aDraft(running, complete)
    const { errors } = assertRefused(await ask(id, 'csv'), 'invalid_request')
    assert.match(errors[0].fix, /one of ubl, .*for a PDF with its data, check `facturx`/)
  })

  test('the fields that a rule needs are those for which the export is refused', async () => {
    const empty = await aPair(running)
    const { id } = await anInvoice(running, empty)
    const { issuer } = empty
    const { body } = await ask(id, 'ubl', issuer)
    const path = `/v1/documents/${id}/render?format=ubl`
    const refused = assertRefused(
      await callApi(running, 'GET', path, { key: issuer.key }),
      'conflict',
    )
    const fields = body.problems.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), refused.fields.toSorted())
    assert(body.problems.every(({ fatal }: { fatal: boolean }) => fatal))
    const ofCii = await brokenBy(id, 'cii', issuer)
    assert.deepEqual(ofCii, [
      'BR-09 issuer.address.country',
      'BR-11 counterparty.address.country',
      'BR-06 issuer.legal_name',
      'BR-S-02 issuer.vat_id',
    ])
    assert.deepEqual(await brokenBy(id, 'peppol_cii', issuer), await brokenBy(id, 'ubl', issuer))
  })

  test('a category that contradicts its rate or the others is named by its line', async () => {
    const draft = await aDraft(running, complete, {
      line_items: [
        { ...line, tax_rate: 0.2 },
        { ...line, tax_rate: 0.2, tax_category: 'E' },
        { ...line, tax_rate: 0, tax_category: 'S' },
        { ...line, tax_rate: 0, tax_category: 'O' },
      ],
    })
    assert.deepEqual(await brokenBy(draft.id, 'cii'), [
      'BR-S-05 line_items.2.tax_category',
      'BR-E-05 line_items.1.tax_category',
      'BR-O-11 line_items.0.tax_category',
      'BR-O-11 line_items.1.tax_category',
      'BR-O-11 line_items.2.tax_category',
    ])
  })

  test('a rate of 0 without a category is named, and nothing is refused for it', async () => {
    const untaxed = { ...line, tax_rate: 0 }
    const draft = await aDraft(running, complete, {
      line_items: [untaxed, { ...line, tax_rate: 0.2 }, { ...untaxed, tax_category: 'Z' }],
    })
    for (const format of ['ubl', 'cii', 'peppol_cii', 'facturx']) {
      const [notice, ...others] = (await ask(draft.id, format)).body.problems
      assert.deepEqual(others, [])
      const { rule, field, fatal } = notice
      assert.deepEqual([rule, field, fatal], ['BT-151', 'line_items.0.tax_category', false])
      assert.match(notice.message, / leaves as Z /)
    }
    const path = `/v1/documents/${draft.id}/render?format=ubl`
    assert.equal((await callApi(running, 'GET', path, complete.issuer)).status, 200)
    for (const [document_type, expected] of [
      ['purchase_order', ['BT-151 line_items.0.tax_category']],
      ['goods_receipt', []],
    ] as const) {
      const { id } = await aDraft(running, complete, { document_type, line_items: [untaxed] })
      assert.deepEqual(await brokenBy(id, 'ubl'), expected)
    }
  })

  test('the delivery that an export implies of a supply within the EU is named', async () => {
    const within = { ...line, tax_rate: 0, tax_category: 'K' }
    const { id } = await aDraft(running, complete, { line_items: [within] })
    for (const format of ['ubl', 'cii', 'peppol_cii', 'facturx']) {
      const { problems } = (await ask(id, format)).body
      const expected = ['BT-72 document_date', 'BT-80 counterparty.address.country']
      assert.deepEqual(await brokenBy(id, format), expected)
      assert(problems.every(({ fatal }: { fatal: boolean }) => !fatal))
    }
    assert.deepEqual(await brokenBy(id, 'pdf'), [], 'its pages name no delivery')
  })

  test('the first text that the font of PDFs cannot show is named, and nothing refused', async () => {
    const wool = { ...line, tax_rate: 0.2 }
    const draftOf = (more: object) => aDraft(running, complete, { line_items: [wool], ...more })
    const shown = await draftOf({ notes: 'Größe 5 €,\tŽluťoučký\nΚαφές “Чай” – ½' })
    const late = await draftOf({ notes: '東京', external_refs: { order_ref: '№ 7 مرحبا' } })
    const lines = [wool, { ...wool, description: 'Wool 🧶' }]
    const early = await draftOf({ notes: '東京', line_items: lines })
    for (const format of ['pdf', 'facturx']) {
      assert.deepEqual(await brokenBy(shown.id, format), [])
      assert.deepEqual(await brokenBy(late.id, format), ['PDF-FONT external_refs.order_ref'])
      assert.deepEqual(await brokenBy(early.id, format), ['PDF-FONT line_items.1.description'])
      assert.equal((await ask(early.id, format)).body.problems[0].fatal, false)
    }
    assert.deepEqual(await brokenBy(early.id, 'cii'), [])
    const quote = await draftOf({ document_type: 'quote', notes: '東京' })
    assert.deepEqual(await brokenBy(quote.id, 'pdf'), ['PDF-FONT notes'])
  })

  test('a rate below half a percent, whose tax receivers then refuse, is named (BR-CO-17)', async () => {
    const low = { ...line, tax_rate: 0.0049 }
    const expensive = { ...low, quantity: 10 }
    const draftOf = (...line_items: object[]) => aDraft(running, complete, { line_items })
    const together = await draftOf(low, { ...line, tax_rate: 0.2 }, expensive)
    for (const format of ['ubl', 'cii']) {
      assert.deepEqual(await brokenBy(together.id, format), [
        'BR-CO-17 line_items.0.tax_rate',
        'BR-CO-17 line_items.2.tax_rate',
      ])
    }
    assert.deepEqual(await brokenBy((await draftOf(low)).id, 'ubl'), [], 'the tax is 0.05')
    const half = await draftOf({ ...expensive, tax_rate: 0.005 })
    assert.deepEqual(await brokenBy(half.id, 'ubl'), [])
  })

  test('a reverse charge needs one number of the buyer, of tax or company (BR-AE-02)', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const line_items = [{ ...line, tax_rate: 0, tax_category: 'AE' }]
    const { id } = await aDraft(running, pair, { line_items })
    const without = async (...fields: string[]) => {
      const numbers = Object.fromEntries(fields.map((field) => [field, null]))
      await setProfile(running, pair.counterparty, { ...buyerProfile, ...numbers })
      return brokenBy(id, 'cii', pair.issuer)
    }
    assert.deepEqual(await without('vat_id'), [])
    assert.deepEqual(await without('company_id'), [])
    const neither = await without('vat_id', 'company_id')
    assert.deepEqual(neither, ['BR-AE-02 counterparty.vat_id'])
  })

  test('the rules of a country hold for Peppol, and nothing is refused at issue', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const address = { country: 'NL', line1: 'Damrak 1', city: 'Amsterdam' }
    const dutch = { ...sellerProfile, address, vat_id: 'NL004495445B01', company_id: '1' }
    await setProfile(running, pair.issuer, { ...dutch, bank: null })
    await setProfile(running, pair.counterparty, buyerProfile)
    const draft = await aDraft(running, pair)
    const broken = ['NL-R-003 issuer.company_id', 'NL-R-002 issuer.address.postal_code']
    const expected = [...broken, 'NL-R-007 issuer.bank.iban']
    assert.deepEqual(await brokenBy(draft.id, 'ubl', pair.issuer), expected)
    assert.deepEqual(await brokenBy(draft.id, 'peppol_cii', pair.issuer), expected)
    assert.deepEqual(await brokenBy(draft.id, 'cii', pair.issuer), [])
    const { key } = pair.issuer
    const issued = await callApi(running, 'POST', `/v1/documents/${draft.id}/issue`, { key })
    assert.equal(issued.status, 200, issued.text)
    const path = `/v1/documents/${draft.id}/render?format=ubl`
    assert.equal((await callApi(running, 'GET', path, { key })).status, 200)
  })

  test('what a Swedish seller does not tax breaks a rule in CII and none in UBL', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const address = { country: 'SE', line1: 'Storgatan 1', city: 'Malmö', postal_code: '21142' }
    const swedish = { address, vat_id: 'SE202100548901', company_id: '2021005489' }
    await setProfile(running, pair.issuer, { ...sellerProfile, ...swedish })
    const untaxed = { ...line, tax_rate: 0, tax_category: 'E' }
    const line_items = [{ ...line, tax_rate: 0.25 }, untaxed, { ...line, tax_rate: 0.2 }]
    const { id } = await aDraft(running, pair, { line_items })
    const [of20, of0] = ['SE-R-006 line_items.2.tax_rate', 'SE-R-006 line_items.1.tax_rate']
    assert.deepEqual(await brokenBy(id, 'ubl', pair.issuer), [of20])
    assert.deepEqual(await brokenBy(id, 'peppol_cii', pair.issuer), [of0, of20])
    assert.deepEqual(await brokenBy(id, 'cii', pair.issuer), [])
  })

  test('only UBL has rules of Peppol for Germany', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const address = { country: 'DE', line1: 'Markt 1', city: 'Bonn', postal_code: '53111' }
    await setProfile(running, pair.issuer, { ...sellerProfile, address, vat_id: 'DE136695976' })
    await setProfile(running, pair.counterparty, { ...buyerProfile, address })
    const { id } = await aDraft(running, pair)
    assert.deepEqual(await brokenBy(id, 'ubl', pair.issuer), ['DE-R-002 issuer.contact'])
    assert.deepEqual(await brokenBy(id, 'peppol_cii', pair.issuer), [])
  })

  test('a draft of others is 404, another type 406, an unknown format 400', async () => {
    const draft = await aDraft(running, complete)
    assertRefused(await ask(draft.id, 'ubl', complete.counterparty), 'not_found')
    const contract = await aDraft(running, complete, { document_type: 'contract' })
    assertRefused(await ask(contract.id, 'ubl'), 'not_acceptable')
    assertRefused(await ask(draft.id, 'csv'), 'invalid_request')
  })
})
