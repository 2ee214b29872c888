/** Domain 7: the encodings and forms of files that are read, and what others are answered. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Problem } from '../../../src/contract/problem.ts'
import { callApi } from '../../support/api-client.ts'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, formWith, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

const line = { description: 'Wool', quantity: 2, unit_price: 19.99, tax_rate: 0.21 }
const invoice = await anInvoice(running, pair, {
  line_items: [line, { ...line, description: 'Silk, fine', quantity: 1 }],
  notes: 'Delivered.',
})
const ubl = await exportOf(running, pair, invoice, 'ubl')

const problemOf = async (file: string | Uint8Array): Promise<Problem & { fix: string }> => {
  const reply = await importFile(running, pair, file)
  return assertRefused(reply, 'invalid_request').errors[0]
}

/** The CSV with one more column. */
const withColumn =
  (name: string, cell: string) =>
  (file: string): string =>
    file
      .trimEnd()
      .split('\r\n')
      .map((row, i) => `${row},${i === 0 ? name : cell}\r\n`)
      .join('')

describe('domain 7: a file is read in the encoding that it declares', { concurrency: 8 }, () => {
  const umlauts = ubl.replace('Delivered.', 'Geprüft, für später.')
  const declares = (name: string) => umlauts.replace('"UTF-8"', `"${name}"`)
  const utf16 = (text: string) => Buffer.from(text, 'utf16le')
  const readable: Readonly<Record<string, Uint8Array>> = {
    'UTF-8 with a mark': Buffer.from(`\uFEFF${umlauts}`),
    'ISO-8859-1': Buffer.from(declares('ISO-8859-1'), 'latin1'),
    'ISO-8859-15': Buffer.from(declares('iso-8859-15'), 'latin1'),
    'Windows-1252': Buffer.from(declares('windows-1252'), 'latin1'),
    'UTF-16 with a mark': utf16(`\uFEFF${declares('UTF-16')}`),
    'UTF-16 with a mark, big-endian': utf16(`\uFEFF${declares('UTF-16')}`).swap16(),
    'UTF-16 without a mark': utf16(declares('UTF-16')),
  }
  for (const [name, bytes] of Object.entries(readable)) {
    test(`XML in ${name}`, async () => {
      const { body, text } = await importFile(running, pair, bytes, { 'svc-dry-run': 'true' })
      assert.match(body.notes ?? text, /Geprüft, für später\.$/)
    })
  }

  const refused: Readonly<Record<string, [Uint8Array, message: RegExp, fix: RegExp]>> = {
    'XML in an encoding that is not read': [
      Buffer.from(declares('KOI8-R'), 'latin1'),
      ...([/encoding KOI8-R, which is not read/, /in UTF-8/] as const),
    ],
    'XML that declares UTF-16, and is not': [
      Buffer.from(declares('utf-16')),
      ...([/encoding utf-16, and its bytes are not/, /in UTF-8/] as const),
    ],
    'XML in UTF-32': [Buffer.from('fffe00003c000000', 'hex'), /^Is in UTF-32/, /in UTF-8/],
    'a CSV in UTF-32, big-endian': [
      Buffer.from('0000feff00000061', 'hex'),
      ...([/^Is in UTF-32/, /in UTF-8/] as const),
    ],
    'XML in ISO-8859-1 that declares UTF-8': [
      Buffer.from(umlauts, 'latin1'),
      ...([/read as UTF-8/, /encoding="ISO-8859-1"/] as const),
    ],
    'a CSV in ISO-8859-1': [Buffer.from('ü', 'latin1'), /nor a CSV in UTF-8/, /CSV UTF-8/],
    'a workbook': [Buffer.from('504b0304ff', 'hex'), /workbook/, /CSV UTF-8/],
    JSON: [Buffer.from('{"line_items":[]}'), /^Is JSON/, /POST \/v1\/documents/],
  }
  for (const [name, [bytes, message, fix]] of Object.entries(refused)) {
    test(`${name} is refused, with what to send instead`, async () => {
      const problem = await problemOf(bytes)
      assert.match(problem.message, message)
      assert.match(problem.fix, fix)
    })
  }
})

describe(
  'domain 7: a CSV of another form is refused by its cell, with the remedy',
  { concurrency: 8 },
  () => {
    let csv: string
    before(async () => {
      csv = await exportOf(running, pair, invoice, 'csv')
    })
    const cases: Readonly<
      Record<string, [mutate: (file: string) => string, message: RegExp, fix: RegExp]>
    > = {
      semicolons: [
        (file) => file.replaceAll(',', ';'),
        /semicolons between its cells/,
        /commas between the cells/,
      ],
      tabs: [(file) => file.replaceAll(',', '\t'), /tabs between/, /commas between the cells/],
      'a decimal comma': [
        (file) => file.replace(',19.99,', ',"19,99",'),
        /^Has 19,99 in row 2, column unit_price, which is no number with a decimal point\.$/,
        /with a point/,
      ],
      'two decimal commas': [
        (file) => file.replace(',19.99,', ',"19,99",').replace(',39.98,', ',"39,98",'),
        /^Has 19,99 in row 2, column unit_price, .*, nor is 1 other\.$/,
        /with a point/,
      ],
      ...Object.fromEntries(
        ['shipping', 'Delivery_Fee', 'discount_total', 'Surcharge amount', 'Charges'].map(
          (name) => [
            `an amount in a column ${name}`,
            [
              withColumn(name, '5.00'),
              new RegExp(`^Has 5\\.00 in row 2, column ${name}, which carries money`),
              /a line of its own/,
            ],
          ],
        ),
      ),
      'decimal commas': [
        (file) => file.replaceAll(/,(\d+)\.(\d+)(?=[,\r])/g, ',"$1,$2"'),
        /row 2, column unit_price, .*, nor are \d+ others/,
        /with a point/,
      ],
      'a decimal comma without quotation marks': [
        (file) => file.replace(',19.99,', ',19,99,'),
        /cells is \d+ in row 2, and \d+ in its header/,
        /quotation marks, and write amounts with a point/,
      ],
      'a quotation mark inside of a cell': [
        (file) => file.replace('Wool', 'Wo"ol'),
        /quotation mark in the wrong place in row 2/,
        /9"" nail/,
      ],
      'another name of a column': [
        (file) => file.replace('unit_price', 'price'),
        /without the column unit_price\./,
        /document_type, .* total/,
      ],
      'another type': [
        (file) => file.replaceAll(',invoice,', ',bill,'),
        /^BT-3: The type is bill/,
        /invoice in a CSV/,
      ],
      'another form of dates': [
        (file) => file.replaceAll(/(\d{4})-(\d\d)-(\d\d)/g, '$3.$2.$1'),
        /^BR-03: The date of issue is \d\d\.\d\d\.\d{4}, which is no date/,
        /YYYY-MM-DD/,
      ],
      'another currency': [
        (file) => file.replaceAll(',USD,', ',CHF,'),
        /^BT-5: The currency is CHF/,
        /USD, EUR, GBP, CAD/,
      ],
      'a sum of the lines that is not theirs': [
        (file) => file.replaceAll(',59.97,', ',1.00,'),
        /^BR-CO-10: The sum of net amounts \(BT-106\) is 1\.00 in the file, and 59\.97 by its lines/,
        /correct the amount or the lines/,
      ],
    }
    for (const [name, [mutate, message, fix]] of Object.entries(cases)) {
      test(name, async () => {
        const problem = await problemOf(mutate(csv))
        assert.match(problem.message, message)
        assert.match(problem.fix, fix)
      })
    }

    test('blank lines at the end, a header in capitals and columns without money are read', async () => {
      const header = csv.slice(0, csv.indexOf('\r'))
      const forms = [
        `${csv}\r\n`,
        `${csv}${','.repeat(header.split(',').length - 1)}\r\n\r\n`,
        csv.replace(header, header.toUpperCase()),
        csv.replace(header, header.replaceAll(',', ', ')),
        withColumn('shipping', '0.00')(csv),
        withColumn('shipping_address', '12')(csv),
        withColumn('fee', 'none')(csv),
        withColumn('coffee', '3')(csv),
      ]
      for (const file of forms) {
        const { body, text } = await importFile(running, pair, file, { 'svc-dry-run': 'true' })
        assert.equal(body.total, invoice.total, `${file}\n${text}`)
        assert.equal(body.line_items.length, 2)
      }
    })

    test('a row whose last cell is empty where the file ends is read', async () => {
      const rows = csv.trimEnd().split('\r\n')
      const file = rows.map((row, i) => `${row},${i === 0 ? 'cost_center' : ''}`).join('\r\n')
      const { body, text } = await importFile(running, pair, file, { 'svc-dry-run': 'true' })
      assert.equal(body.line_items?.length, 2, text)
    })
  },
)

test('domain 7: a part of the form that is wrong is named with what to send', async () => {
  const { connection, issuer } = pair
  const problemsOf = async (name: string, value: string | Blob) => {
    const body = formWith(ubl, connection)
    body.append(name, value as string)
    const request = { key: issuer.key, body }
    const reply = await callApi(running, 'POST', '/v1/documents/import', request)
    const { errors } = assertRefused(reply, 'invalid_request')
    return errors.map(({ param, message, fix }: Problem) => [param, message, fix])
  }
  assert.deepEqual(await problemsOf('connection_id', connection), [
    ['/connection_id', 'The form has this part twice.', 'send one'],
  ])
  assert.deepEqual(await problemsOf('note', 'x'), [
    ['/note', 'The form has no such part.', 'leave it out'],
  ])
})

describe('domain 7: numbers of XML', { concurrency: 8 }, () => {
  const inLine = (name: string, text: string) =>
    ubl.replace(new RegExp(`(<cbc:${name}\\b[^>]*>)[^<]*`), `$1${text}`)

  test('are read in every form of an xsd:decimal', async () => {
    const forms = [
      ['InvoicedQuantity', '+2'],
      ['InvoicedQuantity', '2.'],
      ['PriceAmount', '+19.990'],
    ] as const
    for (const [name, text] of forms) {
      const changed = inLine(name, text)
      assert.notEqual(changed, ubl)
      const reply = await importFile(running, pair, changed, { 'svc-dry-run': 'true' })
      assert.equal(reply.body.total, invoice.total, reply.text)
    }
    const half = { ...line, quantity: 0.5, unit_price: 20 }
    const issued = await anInvoice(running, pair, { line_items: [half] })
    const file = await exportOf(running, pair, issued, 'ubl')
    const bare = file.replace(/(<cbc:InvoicedQuantity[^>]*>)0\.5/, '$1.5')
    assert.notEqual(bare, file)
    const { body, text } = await importFile(running, pair, bare, { 'svc-dry-run': 'true' })
    assert.equal(body.line_items?.[0].quantity, 0.5, text)
  })

  const base = '</cbc:PriceAmount><cbc:BaseQuantity>0</cbc:BaseQuantity>'
  const wrong: Readonly<Record<string, [file: string, message: RegExp, fix: RegExp]>> = {
    'a decimal comma': [
      inLine('PriceAmount', '19,995'),
      ...([/^BR-27: .* is 19,995, which is no number\.$/, /a decimal point/] as const),
    ],
    'a decimal comma in a total': [
      inLine('PayableAmount', '72,56'),
      ...([/^BR-CO-16: .* is 72,56 in the file/, /a decimal point/] as const),
    ],
    'a negative price': [
      inLine('PriceAmount', '-1'),
      ...([/^BR-27: .* negative \(-1\)/, /credit note/] as const),
    ],
    'a tax of a rate that is not its own': [
      ubl.replace(/(<cac:TaxSubtotal>.*?<cbc:TaxAmount[^>]*>)[^<]*/s, '$11.00'),
      ...([/^BR-CO-17: The tax at 21(\.0+)? % is 1\.00 in the file/, /correct/] as const),
    ],
    'a missing quantity': [
      ubl.replace(/<cbc:InvoicedQuantity.*?<\/cbc:InvoicedQuantity>/, ''),
      ...([/^BT-129: .*quantity is missing\.$/, /^give the quantity$/] as const),
    ],
    'too many digits': [
      inLine('InvoicedQuantity', '0.30000000000000004'),
      ...([/^BT-129: .*more digits/, /6 after it/] as const),
    ],
    'a price of no units': [
      ubl.replace('</cbc:PriceAmount>', base),
      ...([/^BT-149: .*\(BaseQuantity.*\) is 0\.$/, /price of one unit/] as const),
    ],
  }
  for (const [name, [file, message, fix]] of Object.entries(wrong)) {
    test(`${name} is refused, with the remedy`, async () => {
      const problem = await problemOf(file)
      assert.match(problem.message, message)
      assert.match(problem.fix, fix)
    })
  }
})
