/** Domain 7: what is exported is imported to the same cents, whatever its rates and discounts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeTotals } from '../../src/core/documents/totals.ts'
import { ciiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { documentCsv } from '../../src/core/interop/document-csv.ts'
import { importedFile } from '../../src/core/interop/imported-file.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { minorText, parseMinor } from '../../src/core/money.ts'
import { randomDocuments } from '../support/interop/random-documents.ts'

const count = process.env.LONG === '1' ? 2_000 : 50

for (const [format, render] of Object.entries({
  ubl: ublInvoice,
  cii: ciiInvoice,
  csv: documentCsv,
})) {
  test(`${count} random documents as ${format} come back to the same cents`, () => {
    for (const document of randomDocuments(count, 7)) {
      const { content } = document
      const result = importedFile(Buffer.from(render(document)))
      assert(result.ok, JSON.stringify({ result, content }))
      const totals = computeTotals(result.draft.line_items)
      assert(totals.ok)
      const cents = (amount: number) => minorText(parseMinor(amount)!)
      const nets = content.line_items.map(({ net }) => cents(net))
      assert.deepEqual(
        totals.totals.lines.map(({ net }) => minorText(net)),
        nets,
      )
      const { subtotal, tax, total } = totals.totals
      assert.deepEqual(
        [subtotal, tax, total].map(minorText),
        [content.subtotal, content.tax, content.total].map(cents),
      )
      assert.equal(result.draft.document_type, document.type)
    }
  })
}
