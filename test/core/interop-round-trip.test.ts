/** Domain 7: what is exported is imported to the same cents, whatever its rates and discounts. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { ciiInvoice, peppolCiiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { documentCsv } from '../../src/core/interop/document-csv.ts'
import { importedFile } from '../../src/core/interop/imported-file.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { randomDocuments } from '../support/interop/random-documents.ts'
import { assertReadBack } from '../support/interop/round-trip.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const count = process.env.LONG === '1' ? 10_000 : 50
const batchSize = 50

for (const [format, render] of Object.entries({
  ubl: ublInvoice,
  cii: ciiInvoice,
  peppol_cii: peppolCiiInvoice,
  csv: documentCsv,
})) {
  test(`${count} random documents as ${format} come back to the same cents`, () => {
    for (let seed = 7; seed < 7 + count / batchSize; seed++)
      for (const document of randomDocuments(batchSize, seed))
        assertReadBack(document, render(document))
  })
}

test('a character above U+FFFF is written by its number, which parsers read at every place', () => {
  const [document] = randomDocuments(1, 7)
  const content = { ...document!.content, notes: 'Thanks \u{1f600}\ud800 \u20ac' }
  for (const render of [ublInvoice, ciiInvoice]) {
    const xml = render({ ...document!, content })
    assert(xml.includes('Thanks &#128512;\ufffd \u20ac'), xml)
    assert(!/[\ud800-\udfff]/.test(xml), 'whatever stands elsewhere')
    const result = importedFile(Buffer.from(xml))
    assert(result.ok)
    assert(result.draft.notes!.endsWith('Thanks \u{1f600}\ufffd \u20ac'))
  }
})

test('a note that looks like the code of a subject in UBL has one that says none (BR-CL-08)', () => {
  const [document] = randomDocuments(1, 7)
  for (const [notes, written] of [
    ['#123# of the list', '#ZZZ##123# of the list'],
    ['Order #AAI#', '#ZZZ#Order #AAI#'],
    ['#ZZZ#', '#ZZZ##ZZZ#'],
    ['#1234# and #5#', '#1234# and #5#'],
    ['C# or F#', 'C# or F#'],
  ] as const) {
    const content = { ...document!.content, notes }
    const xml = ublInvoice({ ...document!, content, isDraft: false, isSandbox: false })
    assert(xml.includes(`<cbc:Note>${written}</cbc:Note>`), xml)
    const result = importedFile(Buffer.from(xml))
    assert.equal(result.ok && result.draft.notes, notes)
  }
})

test('npm run test:interop says that nothing was tested where an artefact is absent', () => {
  const script = resolve(import.meta.dirname, '../../scripts/test-interop.ts')
  const env = { ...process.env, INTEROP_DIR: temporaryFolder() }
  const { status, stderr } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' })
  assert.match(stderr, /NOT TESTED: .*\nlacks en16931, peppol/)
  assert.equal(status, 0)
})
