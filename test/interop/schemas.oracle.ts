/** Random documents → UBL and CII: valid by the schemas of OASIS and of Factur-X. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ciiInvoice } from '../../src/core/interop/cii-invoice.ts'
import { ublInvoice } from '../../src/core/interop/ubl-invoice.ts'
import { renderers } from '../../src/core/interop/render-formats.ts'
import { randomDocuments, tradeDocument } from '../support/interop/random-documents.ts'
import { ciiSchema, schemaComplaints, ublSchema } from '../support/interop/schemas.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Schemas are fast: ten documents for each one that the official rules check. */
const count = Number(process.env.INTEROP_DOCUMENTS ?? 20) * 10
const seed = Number(process.env.INTEROP_SEED ?? 1)

describe(`random documents, seed ${seed}`, { skip: !hasProgram('xmllint') }, () => {
  const documents = [...randomDocuments(count, seed)]
  const folder = temporaryFolder()
  const write = (name: string, xml: string): string => {
    const file = join(folder, `${name}.xml`)
    writeFileSync(file, xml)
    return file
  }

  for (const [type, root] of [
    ['invoice', 'Invoice'],
    ['credit_note', 'CreditNote'],
  ] as const) {
    test(`each ${type} of ${count} documents as ubl is valid by UBL 2.1`, () => {
      const ofType = documents.filter((document) => document.type === type)
      const files = ofType.map((document, i) => write(`${type}-${i}`, ublInvoice(document)))
      assert.equal(schemaComplaints(ublSchema(root), files), '')
    })
  }

  for (const [type, root] of [
    ['purchase_order', 'Order'],
    ['quote', 'Quotation'],
    ['delivery_note', 'DespatchAdvice'],
    ['goods_receipt', 'ReceiptAdvice'],
  ] as const) {
    test(`${count} documents as ${type} in ubl are valid by UBL 2.1`, () => {
      const files = documents.map((document, i) =>
        write(`${type}-${i}`, renderers.ubl.text!(tradeDocument(document, type))),
      )
      assert.equal(schemaComplaints(ublSchema(root), files), '')
    })
  }

  test(`${count} documents as cii are valid by Factur-X, profile EN 16931`, () => {
    const files = documents.map((document, i) => write(`cii-${i}`, ciiInvoice(document)))
    assert.equal(schemaComplaints(ciiSchema, files), '')
  })

  test('an element and an attribute that do not belong there are noticed', () => {
    const invoice = documents.find(({ type }) => type === 'invoice')!
    const xml = ublInvoice(invoice)
    for (const [i, broken] of [
      xml.replaceAll('cbc:IssueDate', 'cbc:Issued'),
      xml.replace(' currencyID=', ' currency='),
    ].entries()) {
      assert.notEqual(broken, xml)
      assert.notEqual(schemaComplaints(ublSchema('Invoice'), [write(`broken-${i}`, broken)]), '')
    }
  })
})
