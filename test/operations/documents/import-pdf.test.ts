/** Domain 7: a PDF that carries a Cross Industry Invoice (Factur-X, ZUGFeRD 2) becomes a draft. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { invoiceInPdf } from '../../../src/core/interop/pdf-invoice.ts'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))
const invoice = await anInvoice(running, pair, { notes: 'Mit Grüßen' })
const xml = await exportOf(running, pair, invoice, 'cii')

const renderedAs = async (format: string, { id }: { id: string }): Promise<Buffer> => {
  const url = `${running.baseUrl}/v1/documents/${id}/render?format=${format}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${pair.issuer.key}` } })
  return Buffer.from(await response.arrayBuffer())
}

describe('domain 7: a Factur-X PDF becomes a draft', () => {
  test('with the amounts, and the report of its XML', async () => {
    const { status, body, text } = await importFile(
      running,
      pair,
      await renderedAs('facturx', invoice),
    )
    assert.equal(status, 201, text)
    assert.equal(body.total, invoice.total)
    assert.match(body.notes, /Mit Grüßen$/)
    assert.equal(body.import.format, 'facturx')
    const fields = body.import.understood.map(({ field }: { field: string }) => field)
    assert(fields.includes('due_date'), text)
  })

  test('a PDF that carries a proof as well is the same invoice', async () => {
    const { body, text } = await importFile(running, pair, await renderedAs('pdf&proof=1', invoice))
    assert.equal(body.total, invoice.total, text)
  })
})

interface Spelling {
  dictionary: string
  data: Buffer
  lineEnd?: string
}

const plain = Buffer.from(xml)
const packed = deflateSync(plain)

const pdfOf = (...files: Spelling[]): Buffer =>
  Buffer.concat([
    Buffer.from('%PDF-1.7\n%\xb5\xb5\n'),
    ...files.flatMap(({ dictionary, data, lineEnd = '\n' }, i) => [
      Buffer.from([`${i + 1} 0 obj`, `<<${dictionary}>>`, 'stream', ''].join(lineEnd)),
      data,
      Buffer.from(['', 'endstream', 'endobj', ''].join(lineEnd)),
    ]),
  ])

const type = '/Type /EmbeddedFile'
const flate = `${type} /Filter /FlateDecode`

/** As programs write them; ISO 32000-1 lets a file have no type. */
const spellings: Readonly<Record<string, Spelling>> = {
  'length first': {
    dictionary: `/Length ${packed.length}/Filter/FlateDecode${type}`,
    data: packed,
  },
  'length elsewhere': { dictionary: `${flate} /Length 9 0 R`, data: packed },
  'no type': {
    dictionary: '/Subtype /text#2Fxml /Filter [/FlateDecode] /Length 9 0 R',
    data: packed,
  },
  uncompressed: { dictionary: `${type} /Length ${plain.length}`, data: plain },
  'uncompressed, of unknown length': { dictionary: type, data: plain },
  'lines of Windows': { dictionary: `${type}/Length 9 0 R`, data: plain, lineEnd: '\r\n' },
}

describe('ISO 32000-1: the file is found however it is spelt', () => {
  for (const [name, spelling] of Object.entries(spellings)) {
    test(name, () => assert.equal(Buffer.from(invoiceInPdf(pdfOf(spelling))).toString(), xml))
  }
})

const other = { dictionary: type, data: Buffer.from(xml.replace('Grüßen', 'Dank')) }
const file = { dictionary: flate, data: packed }
const large = Buffer.concat([plain, Buffer.alloc(1024 * 1024, ' ')])

const refused: Readonly<Record<string, [Buffer, RegExp]>> = {
  'without a file': [Buffer.from('%PDF-1.7'), /without a Cross Industry Invoice/],
  'with another file only': [
    pdfOf({ dictionary: type, data: Buffer.from('<Order/>') }),
    /without a Cross Industry Invoice/,
  ],
  'with two invoices': [pdfOf(file, other), /several invoices/],
  encrypted: [Buffer.concat([pdfOf(file), Buffer.from('trailer <</Encrypt 5 0 R>>')]), /encrypted/],
  'with a file of more than 1 MiB': [
    pdfOf({ dictionary: type, data: large }),
    /without a Cross Industry Invoice/,
  ],
  'with a file that unpacks to more than 1 MiB': [
    pdfOf({ dictionary: flate, data: deflateSync(Buffer.alloc(64 * 1024 * 1024)) }),
    /without a Cross Industry Invoice/,
  ],
  'with thousands of parts': [
    Buffer.from(`%PDF-1.7\n${'>>stream\n'.repeat(30_000)}`),
    /too many parts/,
  ],
  'with many files': [pdfOf(...Array.from({ length: 21 }, () => file)), /too many files/],
  'that is inside of another': [
    pdfOf({ dictionary: flate, data: deflateSync(pdfOf({ dictionary: type, data: plain })) }),
    /not well-formed/,
  ],
  'with a damaged file': [
    pdfOf({ dictionary: flate, data: packed.subarray(0, 50) }),
    /without a Cross Industry Invoice/,
  ],
}

describe('domain 7: a PDF is refused', () => {
  for (const [name, [pdf, expected]] of Object.entries(refused)) {
    test(name, async () => {
      const { errors } = assertRefused(await importFile(running, pair, pdf), 'invalid_request')
      assert.equal(errors[0].param, '/file')
      assert.match(errors[0].message, expected)
    })
  }

  test('the same file twice is one invoice', () => {
    assert.equal(Buffer.from(invoiceInPdf(pdfOf(file, file))).toString(), xml)
  })
})
