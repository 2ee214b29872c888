/**
 * Random orders and deliveries → UBL: no fatal rule of Peppol is broken but those that the checks
 * name. In the long suite, since compiling these rules takes half a minute.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exportProblems } from '../../src/core/interop/export-checks.ts'
import { renderers } from '../../src/core/interop/render-formats.ts'
import { compileRules, officialRules } from '../support/interop/official-rules.ts'
import { randomDocuments, tradeDocument } from '../support/interop/random-documents.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 20)
const seed = Number(process.env.INTEROP_SEED ?? 1)

describe(`random documents, seed ${seed}`, { skip: process.env.LONG !== '1' }, () => {
  for (const [type, rules] of [
    ['purchase_order', 'peppol-order'],
    ['delivery_note', 'peppol-despatch-advice'],
  ] as const) {
    test(`the checks of ${count} documents as ${type} say what the rules say`, async () => {
      await compileRules(rules)
      const brokenBy = officialRules(rules)
      for (const each of randomDocuments(count, seed)) {
        const document = tradeDocument(each, type)
        const broken = brokenBy(renderers.ubl.text!(document)).filter(({ isFatal }) => isFatal)
        const ours = exportProblems(document, 'ubl').map(({ rule }) => rule)
        const official = new Set(broken.map(({ rule }) => rule))
        assert.deepEqual([...official].sort(), [...new Set(ours)].sort(), JSON.stringify(document))
      }
    })
  }
})
