/**
 * The sample files of others are imported to the cent, or refused with the rule that a document of
 * ours cannot keep. Nothing in between: no amount is adjusted to make a file fit.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { computeTotals } from '../../src/core/documents/totals.ts'
import { importedFile } from '../../src/core/interop/imported-file.ts'
import { invoiceInPdf, isPdf } from '../../src/core/interop/pdf-invoice.ts'
import { interopDirectory } from '../support/interop/official-rules.ts'

/** The files that become drafts, by folder. */
const drafts: Readonly<Record<string, readonly string[]>> = {
  'en16931/test/testfiles': [
    'BIS_Billing_30-Factoring.xml',
    'BIS_Billing_30-Valutor i faktura.xml',
  ],
  'peppol/examples': ['vat-category-E.xml', 'vat-category-Z.xml'],
  'samples/ZUGFeRDv2/correct': [
    'Mustangproject/MustangGnuaccountingBeispielRE-20190610_507.pdf',
    'Mustangproject/MustangGnuaccountingBeispielRE-20201121_508.pdf',
    'Mustangproject/MustangGnuaccountingBeispielRE-20201121_508_withBOM.pdf',
    'Mustangproject/hate1.xml',
    'Mustangproject/testout-XR-Edge.xml',
    'Mustangproject/testout-XR.xml',
    'Mustangproject/testout-ZF2PushCreditNote.xml',
    'Mustangproject/testout-ZF2PushItemChargesAllowances.xml',
    'Mustangproject/testout-ZF2PushReverseCharge.xml',
  ],
}

/** BT-112, read without a parser. */
const totalWithTax = (bytes: Buffer): string => {
  const xml = isPdf(bytes) ? Buffer.from(invoiceInPdf(bytes)) : bytes
  const [, amount] = /<(?:\w+:)?(?:GrandTotalAmount|TaxInclusiveAmount)\b[^>]*>([^<]+)</.exec(
    xml.toString(),
  )!
  return Number(amount).toFixed(2)
}

for (const [folder, expected] of Object.entries(drafts)) {
  describe(folder, () => {
    const all = readdirSync(join(interopDirectory, folder), { recursive: true, encoding: 'utf8' })
    const files = all.filter((name) => /\.(?:xml|pdf)$/.test(name)).sort()

    for (const name of expected) {
      test(`${name} becomes a draft with its total`, () => {
        const bytes = readFileSync(join(interopDirectory, folder, name))
        const file = importedFile(bytes)
        assert(file.ok, JSON.stringify(file))
        const priced = computeTotals(file.draft.line_items!)
        assert(priced.ok)
        const { total } = priced.totals
        assert.equal((Number(total) / 100).toFixed(2), totalWithTax(bytes))
      })
    }

    const others = files.filter((name) => !expected.includes(name))
    test(`each of the ${others.length} others is refused with the rules that it breaks`, () => {
      assert(others.length > 0)
      for (const name of others) {
        const file = importedFile(readFileSync(join(interopDirectory, folder, name)))
        assert(!file.ok, `${name} becomes a draft`)
        for (const { param, message } of file.problems) {
          assert.match(`${param} ${message}`, /^\/file B[RTG]-[A-Z0-9-]+|^\/line_items /, name)
        }
      }
    })
  })
}
