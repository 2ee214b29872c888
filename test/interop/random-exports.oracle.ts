/** Random documents → UBL and CII: no fatal rule of EN 16931 and Peppol is broken. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exportProblems, isOnlyOurs } from '../../src/core/interop/export-checks.ts'
import type { ExportedDocument } from '../../src/core/interop/exported-document.ts'
import { ciiInvoice, peppolCiiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import {
  type BrokenRule,
  insteadOf,
  officialRules,
  withoutRules,
} from '../support/interop/official-rules.ts'
import { incompleteDocuments, randomDocuments } from '../support/interop/random-documents.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 20)
const seed = Number(process.env.INTEROP_SEED ?? 1)

const formats = {
  ubl: { render: ublInvoice, sets: ['en16931-ubl', 'peppol-ubl'] },
  cii: { render: ciiInvoice, sets: ['en16931-cii'] },
  peppol_cii: { render: peppolCiiInvoice, sets: ['en16931-cii', 'peppol-cii'] },
} as const

/** A function from a document to the fatal rules that it breaks. */
const fatalRulesIn = (format: keyof typeof formats) => {
  const { render, sets } = formats[format]
  const rules = sets.map((set) => officialRules(set))
  return (document: ExportedDocument): Set<string> => {
    const xml = render(document)
    const broken = rules.flatMap((brokenBy): BrokenRule[] => brokenBy(xml))
    return new Set(broken.filter(({ isFatal }) => isFatal).map(({ rule }) => rule))
  }
}

/** An export takes the name of the organization for the legal one, which only we ask for. */
const onlyOurs = new Set(['BR-06'])

describe(`random documents, seed ${seed}`, () => {
  for (const format of ['ubl', 'cii', 'peppol_cii'] as const) {
    const skip = withoutRules(...formats[format].sets)
    test(`${count} documents as ${format} break no fatal rule`, { skip }, () => {
      const fatalRules = fatalRulesIn(format)
      for (const document of randomDocuments(count, seed)) {
        const fatal = fatalRules(document)
        assert.deepEqual([...fatal], [], JSON.stringify(document))
        const broken = exportProblems(document, format)
        assert.deepEqual(
          broken.filter(({ rule }) => !isOnlyOurs(rule)),
          [],
        )
      }
    })

    const title = `${count} incomplete documents as ${format}: the checks say what the rules say`
    test(title, { skip }, () => {
      const fatalRules = fatalRulesIn(format)
      for (const document of incompleteDocuments(count, seed)) {
        const official = fatalRules(document)
        const ours = exportProblems(document, format)
          .filter(({ fatal, rule }) => fatal && !onlyOurs.has(rule))
          .map(({ rule }) => rule)
        const about = JSON.stringify({ document, ours, official: [...official] })
        for (const rule of ours)
          assert(official.has(rule) || official.has(insteadOf[rule] ?? ''), about)
        assert.equal(ours.length > 0, official.size > 0, about)
      }
    })
  }
})
