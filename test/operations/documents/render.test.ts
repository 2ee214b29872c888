/** Domain 7: exports of a document. */
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
const pair = await withProfiles(running, await aPair(running))
const { issuer, counterparty } = pair

const render = (id: string, format: string, key = issuer.key, headers = {}) =>
  callApi(running, 'GET', `/v1/documents/${id}/render${format && `?format=${format}`}`, {
    key,
    headers,
  })

const formats = {
  json: 'application/json',
  csv: 'text/csv',
  ubl: 'application/xml',
  cii: 'application/xml',
  peppol_cii: 'application/xml',
}

describe('domain 7: the formats of a document', () => {
  for (const [format, mediaType] of Object.entries(formats)) {
    test(`${format}: the same bytes for both sides, whatever happens later`, async () => {
      const { id } = await anInvoice(running, pair)
      const before = await render(id, format)
      assert.equal(before.status, 200, before.text)
      assert(before.headers.get('content-type')!.startsWith(mediaType))
      assert.match(before.headers.get('content-disposition')!, /^attachment; filename="INV-\d+\./)
      const path = `/v1/documents/${id}/transition`
      await callApi(running, 'POST', path, { key: counterparty.key, body: { to: 'approved' } })
      await setProfile(running, issuer, { legal_name: 'Renamed BV', bank: null })
      const after = await render(id, format, counterparty.key)
      assert.equal(after.text, before.text)
      await setProfile(running, issuer, sellerProfile)
      const etag = before.headers.get('etag')!
      const unchanged = await render(id, format, issuer.key, { 'if-none-match': etag })
      assert.equal(unchanged.status, 304)
    })

    test(`${format}: a sandbox document and a draft are marked`, async () => {
      const draft = await render((await aDraft(running, pair)).id, format)
      assert.match(
        draft.text,
        format === 'json' ? /"draft":true,"sandbox":true/ : /SANDBOX.*\s?.*DRAFT/,
      )
    })
  }

  test('peppol_cii is cii with the process and the specification of Peppol', async () => {
    const { id } = await anInvoice(running, pair)
    const [plain, ofPeppol] = [await render(id, 'cii'), await render(id, 'peppol_cii')]
    const context = /<rsm:ExchangedDocumentContext>.*<\/rsm:ExchangedDocumentContext>/
    assert.equal(ofPeppol.text.replace(context, ''), plain.text.replace(context, ''))
    const filenames = [plain, ofPeppol].map(({ headers }) => headers.get('content-disposition'))
    assert.equal(new Set(filenames).size, 2)
    const identifiers = ({ text }: { text: string }) =>
      [...context.exec(text)![0].matchAll(/<ram:ID>([^<]*)/g)].map(([, identifier]) => identifier)
    assert.deepEqual(identifiers(plain), ['urn:cen.eu:en16931:2017'])
    assert.deepEqual(identifiers(ofPeppol), [
      'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0',
      'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
    ])
  })

  test('CII has a base only for a discount in percent (PEPPOL-EN16931-R042)', async () => {
    const line = { description: 'Wool', quantity: 1, unit_price: 100, tax_rate: 0.2 }
    const { id } = await anInvoice(running, pair, {
      line_items: [
        { ...line, discount_type: 'fixed', discount_value: 10 },
        { ...line, discount_type: 'percent', discount_value: 10 },
      ],
    })
    const allowances = (await render(id, 'cii')).text.match(
      /(?<=<ram:SpecifiedTradeAllowanceCharge>).*?(?=<ram:ReasonCode>)/g,
    )
    const notCharged =
      '<ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator>'
    const amount = '<ram:ActualAmount>10.00</ram:ActualAmount>'
    assert.deepEqual(allowances, [
      `${notCharged}${amount}`,
      `${notCharged}<ram:CalculationPercent>10</ram:CalculationPercent><ram:BasisAmount>100.00</ram:BasisAmount>${amount}`,
    ])
  })

  test('Accept chooses where format does not', async () => {
    const { id } = await anInvoice(running, pair)
    const chosen = async (accept: string) =>
      (await render(id, '', issuer.key, { accept })).headers.get('content-type')
    assert.equal(await chosen('application/xml'), 'application/xml')
    assert.equal(await chosen('text/csv;q=0.5, text/html'), 'text/csv; charset=utf-8')
    assert.equal(await chosen('*/*'), 'application/json')
    assert.equal(await chosen('application/xml;q=0.2, text/csv;q=0.4'), 'text/csv; charset=utf-8')
    assert.equal(await chosen('application/json;q=0, text/*'), 'text/csv; charset=utf-8')
    const { headers } = await render(id, '', issuer.key, { accept: 'text/csv' })
    assert.equal(headers.get('vary'), 'Accept')
    const refused = await render(id, '', issuer.key, { accept: 'image/png' })
    assert.match(refused.text, /one of application\/json, text\/csv, [^;]*, or format/)
    assert.deepEqual(assertRefused(refused, 'not_acceptable').available, [
      'json',
      'csv',
      'ubl',
      'cii',
      'peppol_cii',
      'pdf',
      'facturx',
      'invoice_response',
    ])
  })

  test('a media type with parameters is chosen if they are true of it (RFC 9110, 12.5.1)', async () => {
    const { id } = await anInvoice(running, pair)
    const answered = async (accept: string) => {
      const { status, headers } = await render(id, '', issuer.key, { accept })
      return status === 200 ? headers.get('content-type') : status
    }
    assert.deepEqual(
      await Promise.all(
        [
          'text/csv; charset=utf-8',
          'Text/CSV;Charset="UTF-8";q=0.5',
          'text/csv; header=present, application/json;q=0.9',
          'application/xml; charset=utf-8',
          'text/csv; charset=utf-8; q=0, application/json',
          'text/csv; charset=iso-8859-1',
          'text/csv; charset=iso-8859-1, text/csv;q=0.1',
        ].map(answered),
      ),
      [
        ...Array.from({ length: 3 }, () => 'text/csv; charset=utf-8'),
        'application/xml',
        'application/json',
        406,
        'text/csv; charset=utf-8',
      ],
    )
  })

  test('proof takes 1, and a refusal says how to have none', async () => {
    const { id } = await aDraft(running, pair)
    const refused = await render(id, 'pdf&proof=0')
    const [{ fix }] = assertRefused(refused, 'invalid_request').errors
    assert.match(fix, /^send 1\. .*leave it out for none/)
  })

  test('an unknown format is 400, one that the type lacks is 406, a draft of others is 404', async () => {
    const contract = await aDraft(running, pair, { document_type: 'contract' })
    assertRefused(await render(contract.id, 'docx'), 'invalid_request')
    const { available } = assertRefused(await render(contract.id, 'ubl'), 'not_acceptable')
    assert.deepEqual(available, ['json', 'csv', 'pdf'])
    assertRefused(await render(contract.id, 'json', counterparty.key), 'not_found')
  })

  for (const [type, root, seller] of [
    ['purchase_order', 'Order', 'SellerSupplierParty'],
    ['quote', 'Quotation', 'SellerSupplierParty'],
    ['delivery_note', 'DespatchAdvice', 'DespatchSupplierParty'],
    ['goods_receipt', 'ReceiptAdvice', 'DespatchSupplierParty'],
  ] as const) {
    test(`a ${type} in ubl is ${root}, with the seller where the type has it`, async () => {
      const { id } = await aDraft(running, pair, { document_type: type })
      const { text, status, headers } = await render(id, 'ubl')
      assert.equal(status, 200, text)
      assert.equal(headers.get('content-type'), 'application/xml')
      assert(
        text.includes(`<${root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2"`),
      )
      const isBuyer = ['purchase_order', 'goods_receipt'].includes(type)
      const sellerName = isBuyer ? buyerProfile.legal_name : sellerProfile.legal_name
      const [, ofSeller] = new RegExp(`<cac:${seller}>(.*)</cac:${seller}>`).exec(text)!
      assert(ofSeller!.includes(`<cbc:RegistrationName>${sellerName}</cbc:RegistrationName>`))
    })
  }

  test('an order without the address of the seller is refused by name, and a quote needs none', async () => {
    const late = await aPair(running)
    const order = await aDraft(running, late, { document_type: 'purchase_order' })
    const refused = assertRefused(await render(order.id, 'ubl', late.issuer.key), 'conflict')
    assert.equal(refused.reason, 'profile_incomplete')
    assert.deepEqual(refused.fields.toSorted(), [
      'counterparty.address.country',
      'counterparty.electronic_address',
      'issuer.address.country',
      'issuer.electronic_address',
    ])
    const quote = await aDraft(running, late, { document_type: 'quote' })
    assert.equal((await render(quote.id, 'ubl', late.issuer.key)).status, 200)
  })

  test('the checks of a delivery name the lines whose items have no number', async () => {
    const { id } = await aDraft(running, pair, { document_type: 'delivery_note' })
    const path = `/v1/documents/${id}/checks?format=ubl`
    const { body } = await callApi(running, 'GET', path, { key: issuer.key })
    const found = body.problems.map(({ rule, field }: Record<string, string>) => [rule, field])
    assert.deepEqual(found, [['PEPPOL-T16-R003', 'line_items.0.sku']])
  })

  test('what a format needs and no profile has is named, and can be completed after issue', async () => {
    const late = await aPair(running)
    const { id } = await anInvoice(running, late)
    const refused = assertRefused(await render(id, 'ubl', late.issuer.key), 'conflict')
    assert.equal(refused.reason, 'profile_incomplete')
    const expected = ['issuer.address.country', 'issuer.electronic_address', 'issuer.legal_name']
    const others = ['counterparty.address.country', 'counterparty.electronic_address']
    assert.deepEqual(
      refused.fields.toSorted(),
      [...expected, ...others, 'issuer.vat_id'].toSorted(),
    )
    assert.equal((await render(id, 'json', late.issuer.key)).status, 200)
    await withProfiles(running, late)
    assert.equal((await render(id, 'ubl', late.issuer.key)).status, 200)
  })

  test('no cell of a CSV is a formula', async () => {
    const names = ['=1+1', '+1', '-1+1', '@sum', '"quoted", and more']
    const description = (text: string) => ({
      description: text,
      quantity: 1,
      unit_price: 1,
      tax_rate: 0,
    })
    const { id } = await anInvoice(running, pair, { line_items: names.map(description) })
    const { text } = await render(id, 'csv')
    const rows = text.trimEnd().split('\r\n')
    assert.equal(rows.length, names.length + 1)
    assert(!/(^|,)"?[=+\-@]/m.test(text), text)
    assert(text.includes('"""quoted"", and more"'))
  })

  test('a live document is not marked', async () => {
    const live = await withProfiles(running, await aPair(running, 'live'))
    const { id } = await anInvoice(running, live)
    const { text } = await render(id, 'ubl', live.issuer.key)
    assert(!text.includes('SANDBOX') && !text.includes('DRAFT'), text)
  })
})
