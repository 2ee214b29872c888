/** Issue 19: what an import takes, and asks somebody to look at. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Pair, aPair, anInvoice } from '../../support/fixtures.ts'
import { buyerProfile, setProfile, withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

interface Warning {
  code: string
  field: string
  message: string
  file: string | null
  record: string
}

const dry = { 'svc-dry-run': 'true' }

const warningsOf = async (file: string, by: Pair = pair): Promise<Warning[]> => {
  const { body, text } = await importFile(running, by, file, dry)
  assert(body.import !== undefined, text)
  return body.import.warnings
}

const buyerOf = async (file: string, by?: Pair) => {
  const found = (await warningsOf(file, by)).filter(({ code }) => code === 'buyer_differs')
  return found.map(({ field, file: theirs, record }) => [field, theirs, record])
}

describe('issue 19: the buyer of the file and the other side of the connection', () => {
  const { vat_id, company_id, legal_name } = buyerProfile
  for (const format of ['ubl', 'cii']) {
    test(`${format}: a VAT number decides, then a company number, then a name`, async () => {
      const file = await exportOf(running, pair, await anInvoice(running, pair), format)
      assert.deepEqual(await buyerOf(file), [])
      const renamed = file.replaceAll(legal_name, 'Someone else')
      assert.deepEqual(await buyerOf(renamed), [], 'it has the VAT number')
      const another = file.replaceAll(vat_id, 'DE136695976')
      assert.deepEqual(await buyerOf(another), [['counterparty.vat_id', 'DE136695976', vat_id]])
      const unknown = await aPair(running)
      await setProfile(running, unknown.issuer, { vat_id: 'BE0202239951' })
      const { name } = (await anInvoice(running, unknown)).counterparty
      assert.deepEqual(await buyerOf(file, unknown), [['counterparty.name', legal_name, name]])
      await setProfile(running, unknown.counterparty, { company_id: '303265045' })
      assert.deepEqual(await buyerOf(file, unknown), [])
      const number = new RegExp(`>${company_id}<`, 'g')
      const other = file.replaceAll(number, '>404833048<')
      assert.deepEqual(await buyerOf(other, unknown), [
        ['counterparty.company_id', '404833048', company_id],
      ])
    })
  }

  test('csv: a file that names no buyer contradicts nobody', async () => {
    const file = await exportOf(running, pair, await anInvoice(running, pair), 'csv')
    const [header = '', row = ''] = file.split('\r\n')
    const cells = row.split(',')
    const withBuyer = (name: string) =>
      `${header}\r\n${cells.with(header.split(',').indexOf('counterparty'), name).join(',')}\r\n`
    assert.deepEqual(await buyerOf(withBuyer('')), [])
    assert.deepEqual(await buyerOf(withBuyer('Nobody Ltd')), [
      ['counterparty.name', 'Nobody Ltd', legal_name],
    ])
  })
})
