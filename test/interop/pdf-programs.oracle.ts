/**
 * What programs of others say of our PDFs: qpdf finds them sound, and those of Poppler read the
 * fields of the document, the very bytes of what is attached, and fonts that are embedded. No
 * validator of PDF/A is among them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ciiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { type ExportedDocument, taxGroupsOf } from '../../src/core/interop/exported-document.ts'
import { drawnPicture } from '../../src/core/pictures/picture.ts'
import { documentPdf } from '../../src/pdf/document-pdf.ts'
import { randomDocuments } from '../support/interop/random-documents.ts'
import { aJpeg } from '../support/pictures/jpeg.ts'
import { plainPng } from '../support/pictures/png.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 20)
const seed = Number(process.env.INTEROP_SEED ?? 1)

const missing = ['qpdf', 'pdftotext', 'pdfdetach', 'pdffonts', 'pdfimages'].filter(
  (name) => !hasProgram(name),
)
const skip = missing.length > 0 && `NOT TESTED: needs ${missing.join(', ')} (qpdf, poppler-utils)`

const run = (program: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

const amountOf = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2 })

const dateOf = (date: string): string =>
  new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** As the API has them. */
const fieldsOf = ({ number, content, parties }: ExportedDocument): string[] => [
  number,
  parties.issuer.legal_name!,
  parties.counterparty.legal_name!,
  content.currency,
  ...[content.subtotal, content.total].map(amountOf),
  ...content.line_items.map(({ net }) => amountOf(net)),
  ...taxGroupsOf(content).map(({ tax }) => amountOf(Number(tax))),
  ...[content.document_date, ...(content.due_date === null ? [] : [content.due_date])].map(dateOf),
]

const logos = [undefined, plainPng(60, 20, [29, 79, 115, 128]), aJpeg]

describe(`PDFs of ${count} random documents, seed ${seed}`, { skip }, () => {
  const folder = temporaryFolder()
  // A watermark goes through the lines of a page, and would be read among them.
  const marks = { isDraft: false, isSandbox: false }
  const documents = randomDocuments(count, seed).map((each, i) => {
    const document = { ...each, ...marks }
    const text = JSON.stringify({ format: 'svc-proof-bundle/1', i })
    const proof = { name: 'doc.3.svc-proof.json', text, seq: 3, digest: hash('sha256', text) }
    const logo = logos[i % logos.length]
    return { document, xml: ciiInvoice(document), proof, logo, file: join(folder, `${i}.pdf`) }
  })

  test('are made', async () => {
    for (const { document, xml, proof, logo, file } of documents) {
      const carried = { xml, proof, logo: logo && drawnPicture(logo) }
      writeFileSync(file, await documentPdf(document, carried))
    }
  })

  test('qpdf --check finds nothing', () => {
    for (const { file } of documents) assert.match(run('qpdf', '--check', file), /No syntax/)
  })

  test('pdftotext reads the fields of the document', () => {
    for (const { document, proof, file } of documents) {
      const text = run('pdftotext', '-layout', file, '-')
      for (const field of [...fieldsOf(document), proof.digest])
        assert(text.includes(field), `${field} in ${text}`)
    }
  })

  test('pdfdetach gives the very bytes of the bundle and of the XML', () => {
    for (const { xml, proof, file } of documents) {
      for (const [name, content] of [
        ['factur-x.xml', xml],
        [proof.name, proof.text],
      ] as const) {
        const saved = join(folder, name)
        run('pdfdetach', '-savefile', name, '-o', saved, file)
        assert.equal(readFileSync(saved, 'utf8'), content)
      }
    }
  })

  test('pdffonts: every font is embedded and maps to Unicode', () => {
    for (const { file } of documents) {
      const fonts = run('pdffonts', file).trimEnd().split('\n').slice(2)
      assert(fonts.length > 0)
      for (const font of fonts) assert.match(font, / yes yes yes +\d+ +0$/)
    }
  })

  test('pdfimages: a logo is one picture without a mask', () => {
    for (const { logo, file } of documents) {
      const images = run('pdfimages', '-list', file).trimEnd().split('\n').slice(2)
      assert.equal(images.length, logo === undefined ? 0 : 1)
      for (const image of images) assert.match(image, /^ +1 +0 image .* rgb +3 +8 /)
    }
  })
})
