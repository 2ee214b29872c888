/** Contract 11, decision 0002: an import takes no character that no text may have. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

const wool = { description: 'Wool', quantity: 2, unit_price: 19.99, tax_rate: 0.21 }

describe('contract 11: characters that no text may have', { concurrency: 8 }, () => {
  const exports = async () => {
    const issued = await anInvoice(running, pair, { line_items: [{ ...wool, sku: 'W-17' }] })
    const formats = ['ubl', 'cii', 'csv'] as const
    return Promise.all(formats.map((format) => exportOf(running, pair, issued, format)))
  }

  for (const [name, character] of [
    ['a control character of C1', '\u0085'],
    ['DEL', '\u007f'],
    ['a bidirectional override', '\u202e'],
    ['a bidirectional isolate', '\u2066'],
  ] as const) {
    test(`${name} in the number of an item leaves it off`, async () => {
      const sku = `a${character}b`
      for (const file of await exports()) {
        const { body, text } = await importFile(running, pair, file.replaceAll('W-17', sku))
        assert.equal(body.line_items?.[0].sku, null, text)
        const ignored = { source: 'BT-155 of line 1', value: sku }
        assert.deepEqual(
          body.import.ignored.filter(({ source }: typeof ignored) => source === ignored.source),
          [ignored],
        )
      }
    })
  }

  test('U+0000 in any cell of a CSV refuses it', async () => {
    const [, , csv = ''] = await exports()
    const asCreditNote = csv.replace(',invoice,', ',credit_note,').replace(/,,\r\n$/, ',R\0,\r\n')
    for (const file of [csv.replace('W-17', 'W\0'), csv.replace('Wool', 'W\0'), asCreditNote]) {
      assert(file.includes('\0'))
      const { errors } = assertRefused(await importFile(running, pair, file), 'invalid_request')
      assert.equal(errors[0].message, 'Has the character U+0000, which no text has.')
    }
  })
})
