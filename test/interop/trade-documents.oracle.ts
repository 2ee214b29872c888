/**
 * Random orders and deliveries → UBL: no fatal rule of Peppol is broken but those that the checks
 * name. On Java, which compiles these rules in a second; Saxon-JS takes half a minute.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exportProblems, isOnlyOurs } from '../../src/core/interop/export-checks.ts'
import { renderers } from '../../src/core/interop/render-formats.ts'
import { folderOf, rulesBrokenByJava, withoutJava } from '../support/interop/java-rules.ts'
import { randomDocuments, tradeDocument } from '../support/interop/random-documents.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 50)
const seed = Number(process.env.INTEROP_SEED ?? 1)

describe(`random documents, seed ${seed}`, { skip: withoutJava }, () => {
  for (const [type, rules] of [
    ['purchase_order', 'peppol-order'],
    ['delivery_note', 'peppol-despatch-advice'],
  ] as const) {
    test(`the checks of ${count} documents as ${type} say what the rules say`, async () => {
      const documents = randomDocuments(count, seed).map((each) => tradeDocument(each, type))
      const exported = documents.map((document) => renderers.ubl.text!(document))
      const byJava = await rulesBrokenByJava(rules, folderOf(exported))
      for (const [i, document] of documents.entries()) {
        const official = new Set(
          byJava[i]!.filter(({ isFatal }) => isFatal).map(({ rule }) => rule),
        )
        const named = exportProblems(document, 'ubl').map(({ rule }) => rule)
        const ours = new Set(named.filter((rule) => !isOnlyOurs(rule)))
        assert.deepEqual([...official].sort(), [...ours].sort(), exported[i]!)
      }
    })
  }
})
