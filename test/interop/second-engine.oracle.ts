/**
 * A second engine says what the first one does: Saxon-HE on Java reproduces all official unit
 * tests, and agrees with Saxon-JS rule by rule on a sample (with LONG=1, on all of them).
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ciiInvoice, peppolCiiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { renderers } from '../../src/core/interop/render-formats.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { folderOf, rulesBrokenByJava, withoutJava } from '../support/interop/java-rules.ts'
import {
  type BrokenRule,
  type OfficialTest,
  type RuleSet,
  compileRules,
  disagreements,
  interopDirectory,
  officialRules,
  officialSuites,
  officialTests,
  withoutRules,
} from '../support/interop/official-rules.ts'
import {
  incompleteDocuments,
  randomDocuments,
  tradeDocument,
} from '../support/interop/random-documents.ts'

const isLong = process.env.LONG === '1'
const count = Number(process.env.INTEROP_DOCUMENTS ?? 10)
const seed = Number(process.env.INTEROP_SEED ?? 2)
const stride = isLong ? 1 : 40

/** By the rules: the official unit tests. */
const suites = Map.groupBy(officialSuites, ({ rules }) => rules)

const readTests = async (rules: RuleSet): Promise<OfficialTest[]> => {
  const files = suites.get(rules)!.flatMap(({ folder }) => {
    const place = join(interopDirectory, folder)
    return readdirSync(place).map((file) => join(place, file))
  })
  return (await Promise.all(files.map(officialTests))).flat()
}

const asLines = (broken: readonly BrokenRule[]): string[] =>
  broken.map(({ rule, isFatal }) => `${rule} ${isFatal ? 'fatal' : 'warning'}`).sort()

const assertAgreement = async (rules: RuleSet, documents: readonly string[]): Promise<number> => {
  await compileRules(rules)
  const brokenBy = officialRules(rules)
  const byJava = await rulesBrokenByJava(rules, folderOf(documents))
  for (const [i, xml] of documents.entries())
    assert.deepEqual(asLines(byJava[i]!), asLines(brokenBy(xml)), xml)
  return byJava.flat().length
}

const invoices = [...randomDocuments(count, seed), ...incompleteDocuments(2 * count, seed)]
const responses = 'peppol/invoice-response-use-cases'

describe('Saxon-HE on Java', { skip: withoutJava }, () => {
  for (const [rules, render] of [
    ['en16931-ubl', ublInvoice],
    ['peppol-ubl', ublInvoice],
    ['en16931-cii', ciiInvoice],
    ['peppol-cii', peppolCiiInvoice],
  ] as const) {
    const tests = withoutJava === false ? readTests(rules) : Promise.resolve([])
    const skip = withoutRules(rules)

    test(`reproduces the official expectations of ${rules}`, { skip }, async (t) => {
      const all = await tests
      const broken = await rulesBrokenByJava(rules, folderOf(all.map(({ xml }) => xml)))
      const found = all.flatMap((one, i) => disagreements(one, broken[i]!))
      assert.deepEqual(found, [])
      t.diagnostic(`${all.flatMap(({ expectations }) => expectations).length} expectations`)
    })

    test(`agrees with Saxon-JS on ${rules}`, { skip }, async (t) => {
      const official = (await tests).filter((_, i) => i % stride === 0)
      const documents = [...invoices.map(render), ...official.map(({ xml }) => xml)]
      const broken = await assertAgreement(rules, documents)
      assert(broken > 0)
      t.diagnostic(`${documents.length} documents, ${broken} broken rules`)
    })
  }

  test('agrees with Saxon-JS on the answers to invoices', async () => {
    const place = join(interopDirectory, responses)
    const files = readdirSync(place).map((file) => readFileSync(join(place, file), 'utf8'))
    const broken = files.map((xml) => xml.replace(/<cbc:(ID|IssueDate)>[^<]*<\/cbc:\1>/, ''))
    assert((await assertAgreement('peppol-invoice-response', [...files, ...broken])) > 0)
  })

  for (const [type, rules] of [
    ['purchase_order', 'peppol-order'],
    ['delivery_note', 'peppol-despatch-advice'],
  ] as const) {
    // Saxon-JS takes half a minute to compile these.
    test(`agrees with Saxon-JS on ${rules}`, { skip: !isLong }, async () => {
      const documents = invoices.map((one) => renderers.ubl.text!(tradeDocument(one, type)))
      await assertAgreement(rules, documents)
    })
  }
})
