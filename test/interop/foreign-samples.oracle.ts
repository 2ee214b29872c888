/**
 * The sample files of others are imported to the cent, or refused with the rule that a document of
 * ours cannot keep. Nothing in between: no amount is adjusted to make a file fit.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { computeTotals } from '../../src/core/documents/totals.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { importRules } from '../../src/core/interop/import-rules.ts'
import { importedFile } from '../../src/core/interop/imported-file.ts'
import { invoiceInPdf, isPdf } from '../../src/core/interop/pdf-invoice.ts'
import type { Reply } from '../support/api-client.ts'
import { aPair } from '../support/fixtures.ts'
import { setProfile } from '../support/identity/profiles.ts'
import { importFile } from '../support/interop/import-client.ts'
import { interopDirectory } from '../support/interop/official-rules.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()

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
  // Each fails for what a draft does not have: metadata of the PDF, or codes beside the amounts.
  'samples/ZUGFeRDv2/fail': [
    'MustangRE-20171118_506_ZUGFeRD1and2.pdf',
    'Mustangproject/MustangGnuaccountingBeispielRE-20171118_506.pdf',
    'ZUGFeRD_2.0_fully_compliant_complete.pdf',
    'ZUGFeRD_2_fully_compliant_complete.pdf',
    'python-factur-x/python-factur-x.pdf',
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

/** How many files break which rules together (docs/decisions/0133). */
const refused: Readonly<Record<string, number>> = {
  'BT-5': 12,
  'BR-CO-16 BT-5': 7,
  'BR-CO-12 BT-129': 4,
  'BR-16': 3,
  'BR-16 BR-CO-16': 3,
  'BG-28 BR-CO-11 BR-CO-12 BR-CO-16 BT-129 BT-5': 3,
  'BG-28 BR-CO-16 BT-5': 2,
  'BR-CO-11 BR-CO-12 BT-5': 2,
  'BG-28 BR-CO-11 BR-CO-12 BR-CO-16': 1,
  'BG-28 BR-CO-11 BR-CO-12 BT-5': 1,
  'BR-27 BR-CO-16 BT-5': 1,
  'BR-CO-10 BR-CO-13 BR-CO-15 BR-CO-16 BR-S-08 BT-131': 1,
  'BR-CO-11': 1,
  'BR-CO-11 BR-CO-12': 1,
  'BR-CO-11 BR-CO-12 BR-CO-16 BT-129 BT-5': 1,
  'BR-CO-11 BT-5': 1,
  'BR-CO-12 BR-CO-16 BT-5': 1,
  'BT-129 BT-3': 1,
}

/** What no document can be read of: its encoding is none, or an element is not of the format. */
const unreadable = {
  encoding: 'Is XML that declares the encoding UTF-8-W/O-BOM, which is not read here.',
  namespace: 'Has BuyerReference without a namespace, which CII has not.',
}

/** Of the files that their collection calls faulty. */
const refusedFaulty: Readonly<Record<string, number>> = {
  'BR-CO-16': 6,
  'BR-16': 3,
  'BT-129': 2,
  'BR-CO-10 BR-CO-13 BR-CO-14 BR-CO-15 BR-CO-16 BR-S-08 BT-131': 1,
  'BR-CO-10 BR-CO-13 BR-CO-15 BR-CO-16 BR-S-08 BT-131': 1,
  [unreadable.encoding]: 1,
  [unreadable.namespace]: 2,
}

const faulty = 'samples/ZUGFeRDv2/fail'

const filesIn = (folder: string): string[] =>
  readdirSync(join(interopDirectory, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:xml|pdf)$/.test(name))
    .map((name) => join(folder, name))

const read = (file: string): Buffer => readFileSync(join(interopDirectory, file))

const expected = Object.entries(drafts).flatMap(([folder, names]) =>
  names.map((name) => join(folder, name)),
)

describe('samples of others', () => {
  for (const file of expected) {
    test(`${file} becomes a draft with its total`, () => {
      const bytes = read(file)
      const imported = importedFile(bytes)
      assert(imported.ok, JSON.stringify(imported))
      const priced = computeTotals(imported.draft.line_items!)
      assert(priced.ok)
      const { total } = priced.totals
      assert.equal((Number(total) / 100).toFixed(2), totalWithTax(bytes))
    })
  }

  for (const [title, isOfFolder, counts] of [
    ['each of the others', (folder) => folder !== faulty, refused],
    ['each of the other faulty ones', (folder) => folder === faulty, refusedFaulty],
  ] satisfies [string, (folder: string) => boolean, Readonly<Record<string, number>>][]) {
    test(`${title} is refused with the rules that it breaks`, () => {
      const found: Record<string, number> = {}
      for (const file of Object.keys(drafts).filter(isOfFolder).flatMap(filesIn)) {
        if (expected.includes(file)) continue
        const rules = rulesBrokenBy(read(file))
        assert(rules.length > 0, `${file} becomes a draft`)
        for (const rule of rules) {
          assert(rule in importRules || Object.values(unreadable).includes(rule), file)
        }
        const names = rules.toSorted().join(' ')
        found[names] = (found[names] ?? 0) + 1
        if (names === 'BT-5') assert.deepEqual(rulesBrokenBy(inUsd(read(file))), [], file)
      }
      assert.deepEqual(found, counts)
    })
  }
})

describe('samples of others over HTTP', () => {
  /** The seller of the file sends it. */
  const dryRunOf = async (bytes: Uint8Array, seller: string | null): Promise<Reply> => {
    const pair = await aPair(running)
    if (seller !== null) await setProfile(running, pair.issuer, { legal_name: seller })
    return importFile(running, pair, bytes, { 'svc-dry-run': 'true' })
  }

  for (const file of [
    'samples/ZUGFeRDv2/correct/Mustangproject/testout-XR.xml',
    'samples/ZUGFeRDv2/correct/Mustangproject/MustangGnuaccountingBeispielRE-20201121_508.pdf',
    'peppol/examples/vat-category-E.xml',
    'samples/ZUGFeRDv2/fail/python-factur-x/python-factur-x.pdf',
    'samples/ZUGFeRDv2/fail/FNFE-factur-x-examples/Facture_FR_EN16931.pdf',
    'samples/ZUGFeRDv2/fail/Mustangproject/noNetPriceValidation.xml',
    'samples/ZUGFeRDv2/fail/Mustangproject/factur-x-invalid-xml-encoding-attribute.pdf',
  ]) {
    test(`${file}: a dry run says the same`, async () => {
      const bytes = read(file)
      const imported = importedFile(bytes)
      const { status, body, text } = await dryRunOf(bytes, imported.seller?.name ?? null)
      assert.equal(status, imported.ok ? 200 : 400, text)
      if (imported.ok) {
        assert.equal(body.total.toFixed(2), totalWithTax(bytes))
        // Each is for a buyer of its own, and not for the organization of the test.
        const { warnings, ...report } = body.import
        assert.deepEqual(report, imported.report)
        assert.equal(warnings[0].code, 'buyer_differs')
      } else {
        const messages = imported.problems.map(({ message }) => message)
        const told = body.error.details.errors.map(({ message }: Problem) => message)
        assert.deepEqual(told, messages)
      }
    })
  }
})

const rulesBrokenBy = (bytes: Uint8Array): string[] => {
  const file = importedFile(bytes)
  return file.ok ? [] : [...new Set(file.problems.map(({ message }) => message.split(':')[0]!))]
}

/** What is refused for its currency alone is a draft in another one. */
const inUsd = (bytes: Buffer): Buffer => {
  const xml = bytes.toString()
  const [, currency] = /DocumentCurrencyCode[^>]*>(\w+)</.exec(xml)!
  return Buffer.from(xml.replaceAll(`"${currency}"`, '"USD"').replaceAll(`>${currency}<`, '>USD<'))
}
