/** Domain 7, docs/decisions/0152: what a profile lacked when a document was issued. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Reply, callApi } from '../../support/api-client.ts'
import { type Pair, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import {
  buyerProfile,
  sellerProfile,
  setProfile,
  withProfiles,
} from '../../support/identity/profiles.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()

const render = (id: string, format: string, { issuer }: Pair): Promise<Reply> =>
  callApi(running, 'GET', `/v1/documents/${id}/render?format=${format}`, { key: issuer.key })

const missingIn = async (id: string, format: string, pair: Pair): Promise<string[]> => {
  const { reason, fields } = assertRefused(await render(id, format, pair), 'conflict')
  assert.equal(reason, 'profile_incomplete')
  return fields.toSorted()
}

const bytesOf = async (id: string, format: string, pair: Pair): Promise<string> => {
  const { status, text } = await render(id, format, pair)
  assert.equal(status, 200, text)
  return text
}

const { legal_name, vat_id, address, electronic_address } = sellerProfile

describe('domain 7: an incomplete profile is completed once for a document', () => {
  test('each gap by the first later version that fills it, whatever comes after', async () => {
    const pair = await aPair(running)
    const { issuer, counterparty } = pair
    await setProfile(running, counterparty, buyerProfile)
    const { id } = await anInvoice(running, pair)
    await setProfile(running, issuer, { legal_name, electronic_address })
    assert.deepEqual(await missingIn(id, 'ubl', pair), ['issuer.address.country', 'issuer.vat_id'])
    await setProfile(running, issuer, { legal_name: 'Second BV', address: { city: 'Ghent' } })
    await setProfile(running, issuer, { vat_id, address })
    const ubl = await bytesOf(id, 'ubl', pair)
    assert(ubl.includes(`<cbc:RegistrationName>${legal_name}<`), ubl)
    const cii = await bytesOf(id, 'cii', pair)
    const another = { address: { country: 'LU' }, vat_id: null, company_id: '0202239951' }
    await setProfile(running, issuer, { legal_name: 'Third BV', ...another })
    await setProfile(running, counterparty, { legal_name: 'Renamed SARL' })
    assert.equal(await bytesOf(id, 'ubl', pair), ubl)
    assert.equal(await bytesOf(id, 'cii', pair), cii)
  })

  test('what no format needs stays as it was at issue', async () => {
    const pair = await withProfiles(running, await aPair(running))
    const bare = { company_id: null, electronic_address: null, bank: null }
    await setProfile(running, pair.issuer, bare)
    const { id } = await anInvoice(running, pair)
    const formats = ['cii', 'json', 'csv']
    const before = await Promise.all(formats.map((format) => bytesOf(id, format, pair)))
    assert.deepEqual(await missingIn(id, 'ubl', pair), ['issuer.electronic_address'])
    await setProfile(running, pair.issuer, sellerProfile)
    const ubl = await bytesOf(id, 'ubl', pair)
    assert(ubl.includes('<cbc:EndpointID schemeID="0208">'))
    assert(!ubl.includes('IBAN') && !ubl.includes('<cbc:CompanyID schemeID'), ubl)
    const after = await Promise.all(formats.map((format) => bytesOf(id, format, pair)))
    assert.deepEqual(after, before)
  })

  test('a PDF changes once, when the last gap of its XML is filled', async () => {
    const pair = await aPair(running)
    await setProfile(running, pair.counterparty, buyerProfile)
    const { id } = await anInvoice(running, pair)
    const before = await bytesOf(id, 'pdf', pair)
    await setProfile(running, pair.issuer, { legal_name })
    assert.equal(await bytesOf(id, 'pdf', pair), before)
    await setProfile(running, pair.issuer, { vat_id, address })
    const complete = await bytesOf(id, 'facturx', pair)
    await setProfile(running, pair.issuer, { legal_name: 'Renamed BV' })
    assert.notEqual(complete, before)
    assert.equal(await bytesOf(id, 'pdf', pair), complete)
  })

  test('a profile that comes back completes what was issued without it', async () => {
    const pair = await withProfiles(running, await aPair(running))
    await setProfile(running, pair.issuer, { vat_id: null })
    const { id } = await anInvoice(running, pair)
    assert.deepEqual(await missingIn(id, 'ubl', pair), ['issuer.vat_id'])
    await setProfile(running, pair.issuer, { vat_id })
    assert((await bytesOf(id, 'ubl', pair)).includes(vat_id))
  })

  test('a buyer of a reverse charge is completed by a company number alone (BR-AE-02)', async () => {
    const pair = await aPair(running)
    await setProfile(running, pair.issuer, sellerProfile)
    await setProfile(running, pair.counterparty, {
      ...buyerProfile,
      vat_id: null,
      company_id: null,
    })
    const line = { description: 'Wool', quantity: 1, unit_price: 10, tax_rate: 0 }
    const line_items = [{ ...line, tax_category: 'AE' }]
    const { id } = await anInvoice(running, pair, { line_items })
    assert.deepEqual(await missingIn(id, 'cii', pair), ['counterparty.vat_id'])
    await setProfile(running, pair.counterparty, { company_id: buyerProfile.company_id })
    assert((await bytesOf(id, 'cii', pair)).includes(buyerProfile.company_id))
  })

  test('a version that was deleted in the database is missed', async () => {
    const pair = await aPair(running)
    const { issuer } = pair
    const { id } = await anInvoice(running, pair)
    await setProfile(running, issuer, { legal_name })
    await setProfile(running, issuer, { legal_name: 'Second BV' })
    await running.database.script(`set session_replication_role = replica;
      delete from organization_profiles
        where organization_id = '${issuer.uuid}' and profile like '%${legal_name}%';
      set session_replication_role = default`)
    assertRefused(await render(id, 'ubl', pair), 'integrity_failure')
  })
})
