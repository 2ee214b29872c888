/** Domain 7: a CSV as spreadsheets write it is read as it is meant, or refused with the remedy. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPair } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

const cells = {
  document_type: 'invoice',
  document_date: '2026-11-20',
  issuer: pair.issuer.name,
  currency: 'USD',
  description: 'Oak boards',
  quantity: '1',
  unit_price: '1.000',
  tax_percent: '0',
  total: '1.00',
}

/** Rows of one document, with more columns in pairs: names may be empty or repeated. */
const csvOf = (
  change: Partial<typeof cells> = {},
  names: readonly string[] = [],
  rows: readonly (readonly string[])[] = [[]],
): string =>
  [
    [...Object.keys(cells), ...names],
    ...rows.map((more) => [...Object.values({ ...cells, ...change }), ...more]),
  ]
    .map((row) => `${row.join(',')}\r\n`)
    .join('')

const rehearsed = (file: string) => importFile(running, pair, file, { 'svc-dry-run': 'true' })

const ignoredOf = async (file: string): Promise<{ source: string; value: string }[]> => {
  const { body, text } = await rehearsed(file)
  assert(body.import !== undefined, text)
  return body.import.ignored
}

const problemOf = async (file: string): Promise<{ message: string; fix: string }> =>
  assertRefused(await rehearsed(file), 'invalid_request').errors[0]

describe('domain 7: a CSV of a spreadsheet', () => {
  test('names each column that is not read, whichever row has a value in it', async () => {
    const file = csvOf(
      { total: '2.00' },
      ['color', 'shape'],
      [
        ['', ''],
        ['red', ''],
      ],
    )
    assert.deepEqual(await ignoredOf(file), [{ source: 'color', value: 'red' }])
  })

  test('names columns without a name by their places', async () => {
    const file = csvOf({}, ['', '', ''], [['checked', '', '7.00']])
    assert.deepEqual(await ignoredOf(file), [
      { source: 'column 10', value: 'checked' },
      { source: 'column 12', value: '7.00' },
    ])
  })

  test('may end its rows with a carriage return alone', async () => {
    const { body, text } = await rehearsed(csvOf().replaceAll('\r\n', '\r'))
    assert.equal(body.total, 1, text)
    const after = await problemOf(csvOf({ unit_price: '1.0.0' }).replaceAll('\r\n', '\r'))
    assert.match(after.message, /^BR-27: Line 1/)
  })

  test('may have a total of one or of a thousand, and is asked which', async () => {
    for (const total of ['1.000', '+1.000', '12.500']) {
      const { message, fix } = await problemOf(csvOf({ total }))
      assert.equal(message, `Has ${total} in row 2, column total, which may count thousands.`)
      assert.match(fix, /two decimals, such as 1000\.00/)
    }
    for (const total of ['1', '1.0', '1.00', '1.0000'])
      assert.equal((await rehearsed(csvOf({ total }))).body.total, 1)
  })

  test('has a due date of another form', async () => {
    for (const due of ['31.12.2026', '2026-12-31T00:00:00Z', '2026-02-30']) {
      const { message, fix } = await problemOf(csvOf({}, ['due_date'], [[due]]))
      assert.equal(message, `BT-9: The due date is ${due}, which is no date.`)
      assert.match(fix, /^write it as YYYY-MM-DD/)
    }
  })
})
