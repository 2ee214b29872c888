/** Issue 19: what an import takes, and asks somebody to look at. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eraseContent } from '../../../src/changes/provenance/erasure.ts'
import { decodeId } from '../../../src/core/ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { callApi } from '../../support/api-client.ts'
import { type Pair, aPair, anInvoice } from '../../support/fixtures.ts'
import {
  buyerProfile,
  sellerProfile,
  setProfile,
  withProfiles,
} from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

interface Warning {
  code: string
  field: string
  message: string
  file: string | null
  record: string
}

const dry = { 'svc-dry-run': 'true' }

const warningsOf = async (file: string, by: Pair = pair): Promise<Warning[]> => {
  const { body, text } = await importFile(running, by, file, dry)
  assert(body.import !== undefined, text)
  return body.import.warnings
}

const buyerOf = async (file: string, by?: Pair) => {
  const found = (await warningsOf(file, by)).filter(({ code }) => code === 'buyer_differs')
  return found.map(({ field, file: theirs, record }) => [field, theirs, record])
}

describe('issue 19: the buyer of the file and the other side of the connection', () => {
  const { vat_id, company_id, legal_name } = buyerProfile
  for (const format of ['ubl', 'cii']) {
    test(`${format}: a VAT number decides, then a company number, then a name`, async () => {
      const file = await exportOf(running, pair, await anInvoice(running, pair), format)
      assert.deepEqual(await buyerOf(file), [])
      const renamed = file.replaceAll(legal_name, 'Someone else')
      assert.deepEqual(await buyerOf(renamed), [], 'it has the VAT number')
      const another = file.replaceAll(vat_id, 'DE136695976')
      assert.deepEqual(await buyerOf(another), [['counterparty.vat_id', 'DE136695976', vat_id]])
      const unknown = await aPair(running)
      await setProfile(running, unknown.issuer, { vat_id: 'BE0202239951' })
      const { name } = (await anInvoice(running, unknown)).counterparty
      assert.deepEqual(await buyerOf(file, unknown), [['counterparty.name', legal_name, name]])
      await setProfile(running, unknown.counterparty, { company_id: '303265045' })
      assert.deepEqual(await buyerOf(file, unknown), [])
      const number = new RegExp(`>${company_id}<`, 'g')
      const other = file.replaceAll(number, '>404833048<')
      assert.deepEqual(await buyerOf(other, unknown), [
        ['counterparty.company_id', '404833048', company_id],
      ])
    })
  }

  test('csv: a file that names no buyer contradicts nobody', async () => {
    const file = await exportOf(running, pair, await anInvoice(running, pair), 'csv')
    const [header = '', row = ''] = file.split('\r\n')
    const cells = row.split(',')
    const withBuyer = (name: string) =>
      `${header}\r\n${cells.with(header.split(',').indexOf('counterparty'), name).join(',')}\r\n`
    assert.deepEqual(await buyerOf(withBuyer('')), [])
    assert.deepEqual(await buyerOf(withBuyer('Nobody Ltd')), [
      ['counterparty.name', 'Nobody Ltd', legal_name],
    ])
  })
})

describe('issue 19: whom the file says to pay', () => {
  const payeeOf = async (file: string) => {
    const found = (await warningsOf(file)).filter(({ code }) => code === 'payee_differs')
    return found.map(({ field, file: theirs, record }) => [field, theirs, record])
  }
  const { legal_name, company_id, bank } = sellerProfile
  const spaced = bank.iban.toLowerCase().replaceAll(/(.{4})/g, '$1 ')
  const parties = {
    ubl: (name: string, id = '') => [
      '<cac:TaxTotal>',
      `<cac:PayeeParty><cac:PartyName><cbc:Name>${name}</cbc:Name></cac:PartyName>${id && `<cac:PartyLegalEntity><cbc:CompanyID>${id}</cbc:CompanyID></cac:PartyLegalEntity>`}</cac:PayeeParty><cac:TaxTotal>`,
    ],
    cii: (name: string, id = '') => [
      '</ram:InvoiceCurrencyCode>',
      `</ram:InvoiceCurrencyCode><ram:PayeeTradeParty><ram:Name>${name}</ram:Name>${id && `<ram:SpecifiedLegalOrganization><ram:ID>${id}</ram:ID></ram:SpecifiedLegalOrganization>`}</ram:PayeeTradeParty>`,
    ],
  } as const

  for (const format of ['ubl', 'cii'] as const) {
    test(`${format}: a payee or an account that is not of the profile is named`, async () => {
      const file = await exportOf(running, pair, await anInvoice(running, pair), format)
      const paidTo = (...payee: [string, string?]) => {
        const [before = '', after = ''] = parties[format](...payee)
        assert(file.includes(before), format)
        return file.replace(before, after)
      }
      assert(file.includes(bank.iban))
      assert.deepEqual(await payeeOf(file), [])
      assert.deepEqual(await payeeOf(file.replaceAll(bank.iban, spaced)), [])
      assert.deepEqual(await payeeOf(file.replaceAll(bank.iban, 'DE89370400440532013000')), [
        ['issuer.bank.iban', 'DE89370400440532013000', bank.iban],
      ])
      assert.deepEqual(await payeeOf(paidTo('Factor Bank')), [
        ['payee.name', 'Factor Bank', legal_name],
      ])
      assert.deepEqual(await payeeOf(paidTo(legal_name, '404833048')), [
        ['payee.company_id', '404833048', company_id],
      ])
      assert.deepEqual(await payeeOf(paidTo(legal_name.toUpperCase())), [])
    })
  }
})

describe('issue 19: a file that was imported before', () => {
  const earlierOf = async (file: string, by?: Pair) => {
    const found = (await warningsOf(file, by)).filter(({ code }) => code === 'imported_before')
    return found.map(({ field, file: number, record }) => [field, number, record])
  }
  const numbered = (file: string, from: string, to: string) =>
    file.replace(`<cbc:ID>${from}</cbc:ID>`, `<cbc:ID>${to}</cbc:ID>`)
  const field = 'external_refs.issuer_ref'
  const { key } = pair.issuer

  test('is named by the newest draft of its number, type and connection', async () => {
    const invoice = await anInvoice(running, pair)
    const file = numbered(await exportOf(running, pair, invoice, 'ubl'), invoice.number, 'R-2026/7')
    assert.deepEqual(await earlierOf(file), [])
    const first = await importFile(running, pair, file)
    assert.deepEqual(first.body.import.warnings, [])
    assert.deepEqual(await earlierOf(file), [[field, 'R-2026/7', first.body.id]])
    const second = await importFile(running, pair, file)
    assert.equal(second.body.import.warnings[0].record, first.body.id)
    assert.deepEqual(await earlierOf(file), [[field, 'R-2026/7', second.body.id]])
    assert.deepEqual(await earlierOf(numbered(file, 'R-2026/7', 'R-2026/70')), [])

    const change = { key, body: { external_refs: { issuer_ref: 'R-8' } } }
    await callApi(running, 'PATCH', `/v1/documents/${second.body.id}`, change)
    assert.deepEqual(await earlierOf(file), [[field, 'R-2026/7', first.body.id]])
    const path = `/v1/documents/${first.body.id}/transition`
    await callApi(running, 'POST', path, { key, body: { to: 'cancelled' } })
    assert.deepEqual(await earlierOf(file), [])
  })

  test('is named for an export of a document of that number, date and total', async () => {
    const invoice = await anInvoice(running, pair)
    const file = await exportOf(running, pair, invoice, 'csv')
    assert.deepEqual(await earlierOf(file), [[field, invoice.number, invoice.id]])
    const line_items = [{ description: 'Oak', quantity: 2, unit_price: 7, tax_rate: 0 }]
    const other = await anInvoice(running, pair, { line_items })
    assert.deepEqual(await earlierOf(file.replaceAll(invoice.number, other.number)), [])
  })

  test('leaves no number of its file behind when its content is erased', async () => {
    const invoice = await anInvoice(running, pair)
    const file = await exportOf(running, pair, invoice, 'ubl')
    const imported = await importFile(running, pair, numbered(file, invoice.number, 'Ada-0117'))
    const { context } = running.service
    const { database } = context
    const rows = () =>
      database.transaction((tx) =>
        tx.rows(sql`select document_id from document_imports where number = 'Ada-0117'`),
      )
    assert.equal((await rows()).length, 1)
    const id = decodeId('doc', imported.body.id)!
    await database.transaction((tx) => eraseContent(tx, id, context))
    assert.deepEqual(await rows(), [])
  })

  test('is not named on another connection', async () => {
    const file = await exportOf(running, pair, await anInvoice(running, pair), 'ubl')
    await importFile(running, pair, file)
    const other = await withProfiles(running, await aPair(running))
    assert.deepEqual(await earlierOf(file, other), [])
  })
})

describe('issue 19: texts that are longer than their field', () => {
  const long = async (): Promise<[string, string]> => {
    const line_items = [{ description: 'Oak', quantity: 2, unit_price: 7, tax_rate: 0, sku: 'S-1' }]
    const texts = { payment_terms: 'Payable on delivery', notes: 'Delivered.', line_items }
    const invoice = await anInvoice(running, pair, texts)
    return [await exportOf(running, pair, invoice, 'ubl'), invoice.number]
  }

  test('are left off, and named with their length and the bound', async () => {
    const [file, number] = await long()
    assert.deepEqual(await warningsOf(file.replaceAll(number, 'R-LONG')), [])
    const changed = file
      .replace('Delivered.', 'n'.repeat(5_001))
      .replace(`>${number}<`, `>${'R'.repeat(300)}<`)
      .replace('Payable on delivery', 'On delivery. '.repeat(30).trim())
      .replace('>S-1<', `>${'S'.repeat(301)}<`)
    const found = await warningsOf(changed)
    assert.deepEqual([...new Set(found.map(({ code }) => code))], ['too_long'])
    const named = found.map(({ field, file: length, record }) => [field, length, record])
    assert.deepEqual(named.toSorted(), [
      ['external_refs.issuer_ref', '300 characters', 'at most 255 characters'],
      ['line_items[0].sku', '301 characters', 'at most 100 characters'],
      ['notes', '5001 characters', 'at most 5000 characters'],
      ['payment_terms', '389 characters', 'at most 200 characters'],
    ])
  })

  test('of many lines are named up to a bound', async () => {
    const [file] = await long()
    const [line = ''] = /<cac:InvoiceLine>.*<\/cac:InvoiceLine>/s.exec(file) ?? []
    const free = line
      .replace('>S-1<', `>${'S'.repeat(101)}<`)
      .replace(/(LineExtensionAmount[^>]*>)[^<]*/, '$10.00')
      .replace(/(PriceAmount[^>]*>)[^<]*/, '$10.00')
    const found = await warningsOf(file.replace(line, line + free.repeat(150)))
    assert.equal(found.length, 100)
  })
})

describe('issue 19: payment terms', () => {
  const default_terms = {
    code: 'default_terms',
    field: 'payment_terms',
    file: null,
    record: 'Net 30',
    message:
      'The file has neither terms nor a due date: the draft has the default of the connection.',
  }
  const termsOf = async (file: string) => {
    const { body, text } = await importFile(running, pair, file, dry)
    assert(body.import !== undefined, text)
    const { payment_terms, net_days, import: report } = body
    const found = report.warnings.filter(({ code }: Warning) => code === 'default_terms')
    return { payment_terms, net_days, found }
  }

  test('an export tells nobody terms that the record has not', async () => {
    const invoice = await anInvoice(running, pair, { payment_terms: null })
    assert.equal(invoice.payment_terms, null)
    for (const format of ['ubl', 'cii', 'json', 'csv']) {
      const file = await exportOf(running, pair, invoice, format)
      assert.doesNotMatch(file, /Due on receipt|DueDate/)
      const stated = ['ubl', 'cii'].includes(format)
      assert.equal(file.includes('No payment terms stated'), stated, `${format}: BR-CO-25`)
    }
    const line_items = [{ description: 'Sample', quantity: 1, unit_price: 0, tax_rate: 0.2 }]
    const free = await anInvoice(running, pair, { payment_terms: null, line_items })
    const nothingDue = await exportOf(running, pair, free, 'ubl')
    assert.doesNotMatch(nothingDue, /PaymentTerms/)
  })

  for (const format of ['ubl', 'cii', 'csv']) {
    test(`${format}: a file without terms and due date gets the default, and says so`, async () => {
      const without = await anInvoice(running, pair, { payment_terms: null })
      assert.deepEqual(await termsOf(await exportOf(running, pair, without, format)), {
        payment_terms: 'Net 30',
        net_days: 30,
        found: [default_terms],
      })
      for (const [payment_terms, net_days] of [
        ['Payable on delivery', null],
        ['Net 10', 10],
        ['Due on receipt', 0],
      ] as const) {
        const invoice = await anInvoice(running, pair, { payment_terms })
        const file = await exportOf(running, pair, invoice, format)
        assert.deepEqual(await termsOf(file), { payment_terms, net_days, found: [] })
      }
    })
  }

  for (const format of ['ubl', 'csv']) {
    test(`${format}: terms that name another date than the due date are left off, and named`, async () => {
      const invoice = await anInvoice(running, pair, { payment_terms: 'Net 30' })
      const file = await exportOf(running, pair, invoice, format)
      const found = await warningsOf(file.replaceAll('Net 30', 'Net 45'))
      const named = found.filter(({ code }) => code === 'terms_differ')
      assert.deepEqual(
        named.map(({ field, file: terms, record }) => [field, terms, record]),
        [['payment_terms', 'Net 45', invoice.due_date]],
      )
      const same = await warningsOf(file)
      assert(!same.some(({ code }) => code === 'terms_differ'))
    })
  }

  test('a text that has no place in the draft is not replaced by the default', async () => {
    const invoice = await anInvoice(running, pair, { payment_terms: 'Payable on delivery' })
    const file = await exportOf(running, pair, invoice, 'ubl')
    const long = file.replace('Payable on delivery', 'On delivery. '.repeat(30))
    assert.deepEqual(await termsOf(long), { payment_terms: null, net_days: null, found: [] })
  })
})
