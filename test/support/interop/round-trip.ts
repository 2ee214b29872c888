/** What is exported is imported to the same cents, with its notes (domain 7). */
import assert from 'node:assert/strict'
import { computeTotals } from '../../../src/core/documents/totals.ts'
import type { ExportedDocument } from '../../../src/core/interop/exported-document.ts'
import { importedFile } from '../../../src/core/interop/imported-file.ts'
import { minorText, parseMinor } from '../../../src/core/money.ts'

export const assertReadBack = ({ type, content }: ExportedDocument, exported: string): void => {
  const result = importedFile(Buffer.from(exported))
  assert(result.ok, JSON.stringify({ result, content }))
  const computed = computeTotals(result.draft.line_items)
  assert(computed.ok)
  const { lines, subtotal, tax, total } = computed.totals
  const cents = (amount: number) => minorText(parseMinor(amount)!)
  assert.deepEqual(
    lines.map(({ net, tax_amount }) => [minorText(net), minorText(tax_amount)]),
    content.line_items.map(({ net, tax_amount }) => [cents(net), cents(tax_amount)]),
  )
  assert.deepEqual(
    [subtotal, tax, total].map(minorText),
    [content.subtotal, content.tax, content.total].map(cents),
  )
  const { document_type, currency } = result.draft
  assert.deepEqual([document_type, currency], [type, content.currency])
}
