/** The oracle first: it says of the official unit tests what their authors say. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  disagreements,
  interopDirectory,
  officialRules,
  officialSuites,
  officialTests,
  withoutRules,
} from '../support/interop/official-rules.ts'

/** Every so many files, unless LONG=1. */
const stride = process.env.LONG === '1' ? 1 : 20

describe('the oracle reproduces the official expectations', () => {
  for (const { folder, rules } of officialSuites) {
    test(folder, { skip: withoutRules(rules) }, async (t) => {
      const rulesBrokenBy = officialRules(rules)
      const files = readdirSync(join(interopDirectory, folder)).filter((_, i) => i % stride === 0)
      let count = 0
      const found: string[] = []
      for (const file of files) {
        for (const one of await officialTests(join(interopDirectory, folder, file))) {
          count += one.expectations.length
          found.push(
            ...disagreements(one, rulesBrokenBy(one.xml)).map((text) => `${file}: ${text}`),
          )
        }
      }
      assert.deepEqual(found, [])
      assert(count > 0)
      t.diagnostic(`${count} expectations`)
    })
  }
})
