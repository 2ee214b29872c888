/** Domain 7: exports of a document. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { sellerProfile, setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const { issuer, counterparty } = pair

const render = (id: string, format: string, key = issuer.key, headers = {}) =>
  callApi(running, 'GET', `/v1/documents/${id}/render${format && `?format=${format}`}`, {
    ...{ key, headers },
  })

const formats = {
  json: 'application/json',
  csv: 'text/csv',
  ubl: 'application/xml',
  cii: 'application/xml',
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

  test('Accept chooses where format does not', async () => {
    const { id } = await anInvoice(running, pair)
    const chosen = async (accept: string) =>
      (await render(id, '', issuer.key, { accept })).headers.get('content-type')
    assert.equal(await chosen('application/xml'), 'application/xml')
    assert.equal(await chosen('text/csv;q=0.5, text/html'), 'text/csv; charset=utf-8')
    assert.equal(await chosen('*/*'), 'application/json')
    const refused = await render(id, '', issuer.key, { accept: 'image/png' })
    assert.deepEqual(assertRefused(refused, 'not_acceptable').available, [
      'json',
      'csv',
      'ubl',
      'cii',
      'pdf',
      'facturx',
    ])
  })

  test('an unknown format is 400, one that the type lacks is 406, a draft of others is 404', async () => {
    const quote = await aDraft(running, pair, { document_type: 'quote' })
    assertRefused(await render(quote.id, 'docx'), 'invalid_request')
    const { available } = assertRefused(await render(quote.id, 'ubl'), 'not_acceptable')
    assert.deepEqual(available, ['json', 'csv', 'pdf'])
    assertRefused(await render(quote.id, 'json', counterparty.key), 'not_found')
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
