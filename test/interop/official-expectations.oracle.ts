/** The oracle first: it says of the official unit tests what their authors say. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  type OfficialTest,
  type RuleSet,
  interopDirectory,
  officialRules,
  officialTests,
} from '../support/interop/official-rules.ts'

const suites: readonly { folder: string; rules: RuleSet }[] = [
  { folder: 'en16931/test/Invoice-unit-UBL', rules: 'en16931-ubl' },
  { folder: 'en16931/test/CreditNote-unit-UBL', rules: 'en16931-ubl' },
  { folder: 'en16931/test/cii', rules: 'en16931-cii' },
  { folder: 'peppol/unit-UBL-PEPPOL', rules: 'peppol-ubl' },
]

/** Every so many files, unless LONG=1. */
const stride = process.env.LONG === '1' ? 1 : 20

const disagreements = (
  { expectations, xml }: OfficialTest,
  rulesBrokenBy: ReturnType<typeof officialRules>,
): string[] => {
  const broken = new Set(rulesBrokenBy(xml).map(({ rule }) => rule))
  return expectations
    .filter(({ rule, outcome }) => broken.has(rule) !== (outcome !== 'success'))
    .map(({ rule, outcome }) => `${rule} ${outcome}`)
}

describe('the oracle reproduces the official expectations', () => {
  for (const { folder, rules } of suites) {
    test(folder, async (t) => {
      const rulesBrokenBy = officialRules(rules)
      const files = readdirSync(join(interopDirectory, folder)).filter((_, i) => i % stride === 0)
      let count = 0
      const found: string[] = []
      for (const file of files) {
        for (const one of await officialTests(join(interopDirectory, folder, file))) {
          count += one.expectations.length
          found.push(...disagreements(one, rulesBrokenBy).map((text) => `${file}: ${text}`))
        }
      }
      assert.deepEqual(found, [])
      assert(count > 0)
      t.diagnostic(`${count} expectations`)
    })
  }
})
