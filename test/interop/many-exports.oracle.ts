/**
 * Random documents of all rates, discounts and currencies, with 1 to 200 lines → UBL and CII: valid
 * by their schemas, without a broken fatal rule, and read back to the same cents. By the fast
 * engine: 10,000 with LONG=1.
 */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ciiInvoice, peppolCiiInvoice } from '../../src/core/interop/cii-invoice.ts'
import type { ExportedDocument } from '../../src/core/interop/exported-document.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { folderOf, rulesBrokenByJava, withoutJava } from '../support/interop/java-rules.ts'
import { type RuleSet, withoutRules } from '../support/interop/official-rules.ts'
import { randomDocuments } from '../support/interop/random-documents.ts'
import { assertReadBack } from '../support/interop/round-trip.ts'
import { ciiSchema, schemaComplaints, ublSchema } from '../support/interop/schemas.ts'
import { hasProgram } from '../support/processes/has-program.ts'

const isLong = process.env.LONG === '1'
const count = Number(process.env.INTEROP_DOCUMENTS ?? (isLong ? 10_000 : 40))
const seed = Number(process.env.INTEROP_SEED ?? 1)
/** As many as one process of Java is started for, each from a seed of its own. */
const batchSize = Math.min(count, 500)

const ublSchemas = { invoice: ublSchema('Invoice'), credit_note: ublSchema('CreditNote') }

interface Format {
  render(document: ExportedDocument): string
  schemaOf(document: ExportedDocument): string
  rules: readonly RuleSet[]
}

const formats: Readonly<Record<string, Format>> = {
  ubl: {
    render: ublInvoice,
    schemaOf: ({ type }) => ublSchemas[type as 'invoice' | 'credit_note'],
    rules: ['en16931-ubl', 'peppol-ubl'],
  },
  cii: { render: ciiInvoice, schemaOf: () => ciiSchema, rules: ['en16931-cii'] },
  peppol_cii: {
    render: peppolCiiInvoice,
    schemaOf: () => ciiSchema,
    rules: ['en16931-cii', 'peppol-cii'],
  },
}

const checkBatch = async (
  documents: readonly ExportedDocument[],
  { render, schemaOf, rules }: Format,
): Promise<void> => {
  const exported = documents.map(render)
  for (const [i, document] of documents.entries()) assertReadBack(document, exported[i]!)
  const folder = folderOf(exported)
  if (hasProgram('xmllint')) {
    const bySchema = Map.groupBy(documents.keys(), (i) => schemaOf(documents[i]!))
    for (const [schema, indexes] of bySchema) {
      const files = indexes.map((i) => join(folder, `${i}.xml`))
      assert.equal(schemaComplaints(schema, files), '')
    }
  }
  for (const set of rules) {
    for (const [i, broken] of (await rulesBrokenByJava(set, folder)).entries()) {
      const fatal = broken.filter(({ isFatal }) => isFatal)
      assert.deepEqual(fatal, [], `${set}: ${exported[i]}`)
    }
  }
  rmSync(folder, { recursive: true })
}

describe(`random documents, seed ${seed}`, { skip: withoutJava, concurrency: 2 }, () => {
  for (const [name, format] of Object.entries(formats)) {
    const skip = withoutRules(...format.rules)
    test(`${count} documents as ${name}`, { skip }, async (t) => {
      let lines = 0
      for (let done = 0; done < count; done += batchSize) {
        const size = Math.min(batchSize, count - done)
        const documents = randomDocuments(size, seed + done / batchSize)
        await checkBatch(documents, format)
        lines += documents.reduce((sum, { content }) => sum + content.line_items.length, 0)
      }
      t.diagnostic(`${lines} lines`)
    })
  }
})
