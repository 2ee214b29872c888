/**
 * Random answers to invoices and credit notes: valid by the schema of UBL, without a broken rule of
 * Peppol's invoice response but those that the checks name; and the use cases say what their
 * official files say.
 */
import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { exportProblems } from '../../src/core/interop/export-checks.ts'
import type { ExportedDocument } from '../../src/core/interop/exported-document.ts'
import { answerTo } from '../../src/core/interop/invoice-answer.ts'
import { ublInvoiceResponse } from '../../src/core/interop/ubl-invoice-response.ts'
import type { HistoryMove } from '../../src/core/provenance/history-moves.ts'
import {
  type BrokenRule,
  compileRules,
  interopDirectory,
  officialRules,
} from '../support/interop/official-rules.ts'
import { randomMoves } from '../support/interop/random-answers.ts'
import { incompleteDocuments, randomDocuments } from '../support/interop/random-documents.ts'
import {
  type ResponseUseCase,
  impossibleUseCases,
  responseUseCases,
  saidBy,
} from '../support/interop/response-use-cases.ts'
import { schemaComplaints, ublSchema } from '../support/interop/schemas.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const count = Number(process.env.INTEROP_DOCUMENTS ?? 20) * 5
const seed = Number(process.env.INTEROP_SEED ?? 1)

const answered = (
  document: ExportedDocument,
  type: 'invoice' | 'credit_note',
  moves: readonly HistoryMove[],
): ExportedDocument => ({
  ...document,
  type,
  answer: answerTo({ id: 'doc_01', type, currency: 'EUR', moves, paymentBegunAt: null }),
})

/** Those of a number of invoices and credit notes that have a response. */
const responses = (documents: readonly ExportedDocument[]): ExportedDocument[] =>
  (['invoice', 'credit_note'] as const).flatMap((type) => {
    const ofType = documents.filter((document) => document.type === type)
    const moves = fc.sample(randomMoves(type), { numRuns: ofType.length, seed })
    return ofType
      .map((document, i) => answered(document, type, moves[i]!))
      .filter(({ answer }) => answer?.response !== undefined)
  })

const [anInvoice] = randomDocuments(1, seed)

/** The response that the moves of a use case lead to. */
const responseIn = ({ moves }: ResponseUseCase): string => {
  const told = moves.map(({ to, reason_code = null, note = null }, i): HistoryMove => ({
    seq: i + 3,
    at: '2026-11-21T10:00:00.000Z',
    status: to,
    reason_code,
    note,
    amount_paid: to === 'paid' ? '80.00' : '0.00',
    amount_credited: '0.00',
  }))
  return ublInvoiceResponse(answered(anInvoice!, 'invoice', told))
}

const complete = responses(randomDocuments(count, seed))
const folder = 'peppol/invoice-response-use-cases'

let brokenBy: (xml: string) => BrokenRule[]
before(async () => {
  await compileRules('peppol-invoice-response')
  brokenBy = officialRules('peppol-invoice-response')
})

const rulesOf = (broken: readonly BrokenRule[]): string[] =>
  [...new Set(broken.map(({ rule, isFatal }) => `${rule} ${isFatal}`))].sort()

describe(`random answers, seed ${seed}`, () => {
  for (const [name, documents] of [
    ['complete', complete],
    ['incomplete', responses(incompleteDocuments(count, seed))],
  ] as const) {
    test(`the checks of ${documents.length} ${name} answers say what the rules say`, () => {
      for (const document of documents) {
        const xml = ublInvoiceResponse(document)
        const ours = exportProblems(document, 'invoice_response')
        const expected = ours.map(({ rule, fatal }) => ({ rule, isFatal: fatal }))
        assert.deepEqual(rulesOf(brokenBy(xml)), rulesOf(expected), xml)
      }
    })
  }

  test('they are valid by UBL 2.1', { skip: !hasProgram('xmllint') }, () => {
    const place = temporaryFolder()
    const files = complete.map((document, i) => {
      const file = join(place, `${i}.xml`)
      writeFileSync(file, ublInvoiceResponse(document))
      return file
    })
    assert.equal(schemaComplaints(ublSchema('ApplicationResponse'), files), '')
  })
})

describe('the use cases of OpenPEPPOL', () => {
  const official = new Map(
    readdirSync(join(interopDirectory, folder)).map((file) => [
      /uc\d.*(?=\.xml)/.exec(file)![0],
      readFileSync(join(interopDirectory, folder, file), 'utf8').replace(/<!--.*?-->/gs, ''),
    ]),
  )

  test('are all in the table, or named as impossible', () => {
    const named = [...responseUseCases.map(({ name }) => name), ...impossibleUseCases]
    assert.deepEqual(named.toSorted(), [...official.keys()].toSorted())
  })

  for (const useCase of responseUseCases) {
    const { name, says } = useCase
    test(`${name}: the official file and ours say ${says.join(', ')}`, () => {
      for (const xml of [official.get(name)!, responseIn(useCase)]) {
        assert.deepEqual(saidBy(xml), says)
        assert.deepEqual(brokenBy(xml), [])
      }
    })
  }
})

const without = (name: string) => (xml: string) =>
  xml.replace(new RegExp(`<${name}( [^>]*)?>.*?</${name}>`, 's'), '')

/** Within the first element of this name. */
const within = (name: string, change: (xml: string) => string) => (xml: string) =>
  xml.replace(new RegExp(`<${name}>.*?</${name}>`, 's'), change)

const replaced = (from: string, to: string) => (xml: string) => xml.replace(from, to)

const sender = 'cac:SenderParty'
const receiver = 'cac:ReceiverParty'
const reference = 'cac:DocumentReference'

/** By the fatal rule that each change breaks. */
const mutations: Readonly<Record<string, (xml: string) => string>> = {
  'PEPPOL-T111-B00101': without('cbc:CustomizationID'),
  'PEPPOL-T111-B00102': without('cbc:ProfileID'),
  'PEPPOL-T111-B00103': without('cbc:ID'),
  'PEPPOL-T111-B00104': without('cbc:IssueDate'),
  'PEPPOL-T111-B00105': without(sender),
  'PEPPOL-T111-B00106': without(receiver),
  'PEPPOL-T111-B00107': without('cac:DocumentResponse'),
  'PEPPOL-T111-B00109': replaced('<cac:SenderParty>', '<cbc:UUID>1</cbc:UUID><cac:SenderParty>'),
  'PEPPOL-T111-B00801': within(sender, without('cbc:EndpointID')),
  'PEPPOL-T111-B00802': within(sender, without('cac:PartyLegalEntity')),
  'PEPPOL-T111-B00901': within(sender, replaced(' schemeID="0088"', '')),
  'PEPPOL-T111-B00902': within(sender, replaced('"0088"', '"0000"')),
  'PEPPOL-T111-B01401': within(sender, without('cbc:RegistrationName')),
  'PEPPOL-T111-B02001': within(receiver, without('cbc:EndpointID')),
  'PEPPOL-T111-B02002': within(receiver, without('cac:PartyLegalEntity')),
  'PEPPOL-T111-B02101': within(receiver, replaced(' schemeID="0208"', '')),
  'PEPPOL-T111-B02102': within(receiver, replaced('"0208"', '"0000"')),
  'PEPPOL-T111-B02601': within(receiver, without('cbc:RegistrationName')),
  'PEPPOL-T111-B02801': without('cac:Response'),
  'PEPPOL-T111-B02802': without(reference),
  'PEPPOL-T111-B02901': without('cbc:ResponseCode'),
  'PEPPOL-T111-B03001': replaced('>UQ<', '>XX<'),
  'PEPPOL-T111-B03301': replaced('>REF<', '>XXX<'),
  'PEPPOL-T111-B03302': replaced(' listID="OPStatusReason"', ''),
  'PEPPOL-T111-B03303': replaced('"OPStatusReason"', '"Reason"'),
  'PEPPOL-T111-B03601': without('cbc:AttributeID'),
  'PEPPOL-T111-B03901': within(reference, without('cbc:ID')),
  'PEPPOL-T111-B03902': without('cbc:DocumentTypeCode'),
  'PEPPOL-T111-B04201': replaced('>380<', '>invoice<'),
  'PEPPOL-T111-R001': (xml) => without('cac:Status')(without('cac:Status')(xml)),
  'PEPPOL-T111-R003': replaced('trns:invoice_response:3', 'trns:invoice:3'),
  'PEPPOL-T111-R004': replaced('>REF<', '>PPD<'),
  'PEPPOL-T111-R006': replaced('>PIN<', '>REF<'),
  'PEPPOL-T111-R007': replaced('>REF<', '>PIN<'),
  'PEPPOL-T111-R008': replaced('bis:invoice_response:3', 'bis:invoice:3'),
}

describe('an answer that breaks a rule is noticed', () => {
  const xml = responseIn(responseUseCases.find(({ name }) => name.startsWith('uc006a'))!)

  test('as it is, it breaks none', () => assert.deepEqual(brokenBy(xml), []))

  for (const [rule, change] of Object.entries(mutations)) {
    test(rule, () => {
      const changed = change(xml)
      assert.notEqual(changed, xml)
      const broken = brokenBy(changed).filter(({ isFatal }) => isFatal)
      assert(
        broken.some((one) => one.rule === rule),
        `${JSON.stringify(broken)} ${changed}`,
      )
    })
  }
})
