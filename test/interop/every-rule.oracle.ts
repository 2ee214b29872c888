/**
 * Each rule of our checks is broken by some random document, and by the official rules' word too:
 * whatever ours name, they find, as fatal as they say.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ciiInvoice, peppolCiiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { exportProblems, isOnlyOurs } from '../../src/core/interop/export-checks.ts'
import { profileRules } from '../../src/core/interop/missing-fields.ts'
import { nationalRules } from '../../src/core/interop/national-rules.ts'
import { taxCategoryRules } from '../../src/core/interop/tax-category-rules.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { folderOf, rulesBrokenByJava, withoutJava } from '../support/interop/java-rules.ts'
import { type BrokenRule, insteadOf, withoutRules } from '../support/interop/official-rules.ts'
import { incompleteDocuments } from '../support/interop/random-documents.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 300)
const seed = Number(process.env.INTEROP_SEED ?? 1)

/** An export takes the name of the organization for the legal one, which only we ask for. */
const onlyOurs = 'BR-06'

const documents = incompleteDocuments(count, seed)

const formats = {
  ubl: { render: ublInvoice, sets: ['en16931-ubl', 'peppol-ubl'], national: nationalRules.ubl },
  cii: { render: ciiInvoice, sets: ['en16931-cii'], national: [] },
  peppol_cii: {
    render: peppolCiiInvoice,
    national: nationalRules.peppol_cii,
    sets: ['en16931-cii', 'peppol-cii'],
  },
} as const

const nameOf = (rule: string, isFatal: boolean) => `${rule} ${isFatal ? 'fatal' : 'warning'}`

describe(`${count} incomplete documents, seed ${seed}`, { skip: withoutJava }, () => {
  for (const format of ['ubl', 'cii', 'peppol_cii'] as const) {
    const { render, sets, national } = formats[format]
    const title = `as ${format}: every rule of the checks is broken, and is the official one`
    test(title, { skip: withoutRules(...sets) }, async (t) => {
      const folder = folderOf(documents.map(render))
      const bySet: BrokenRule[][][] = []
      for (const set of sets) bySet.push(await rulesBrokenByJava(set, folder))
      const seen = new Set<string>()
      for (const [i, document] of documents.entries()) {
        const broken = bySet.flatMap((byDocument) => byDocument[i]!)
        const official = new Set(broken.map(({ rule, isFatal }) => nameOf(rule, isFatal)))
        const ours = exportProblems(document, format).filter(
          ({ rule }) => rule !== onlyOurs && !isOnlyOurs(rule),
        )
        for (const { rule, fatal } of ours) {
          const about = JSON.stringify({ rule, fatal, official: [...official], document })
          const names = [rule, insteadOf[rule] ?? rule].map((one) => nameOf(one, fatal))
          assert(
            names.some((name) => official.has(name)),
            about,
          )
          seen.add(rule)
        }
        const isRefused = broken.some(({ isFatal }) => isFatal)
        assert.equal(
          ours.some(({ fatal }) => fatal),
          isRefused,
          JSON.stringify(document),
        )
      }
      const all = [...taxCategoryRules, ...national, ...profileRules(format, documents[0]!)]
      const never = new Set(all.map(({ rule }) => rule)).difference(seen)
      assert.deepEqual([...never], [onlyOurs])
      t.diagnostic(`${seen.size} rules`)
    })
  }
})
