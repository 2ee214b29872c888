/** Domain 7: files become drafts, with exactly their amounts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ImportRule, importRules } from '../../../src/core/interop/import-rules.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aPair, anInvoice } from '../../support/fixtures.ts'
import { assertRefused } from '../../support/http/error-responses.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, formWith, importFile } from '../../support/interop/import-client.ts'
import { importMutants } from '../../support/interop/import-mutants.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

const line = { description: 'Wool & <yarn>', quantity: 3, unit_price: 33.333333, tax_rate: 0.21 }

const rich = {
  line_items: [
    { ...line, sku: 'W-1', discount_type: 'percent', discount_value: 12.5 },
    { ...line, quantity: 0.333333, tax_rate: 0.0825, discount_type: 'fixed', discount_value: 1.01 },
    { ...line, description: 'Book', unit_price: 19.99, tax_rate: 0, tax_category: 'E' },
  ],
  payment_terms: 'Net 30',
  notes: 'Delivered.',
}

const amounts = ['line_items', 'subtotal', 'discount_total', 'tax', 'tax_breakdown', 'total']

const messagesOf = async (content: string): Promise<string[]> => {
  const { errors } = assertRefused(await importFile(running, pair, content), 'invalid_request')
  for (const { fix } of errors) assert.match(fix, /\w/, 'each message has a fix')
  return errors.map(({ message }: { message: string }) => message)
}

const ubl = await exportOf(running, pair, await anInvoice(running, pair, rich), 'ubl')

describe('domain 7: a file becomes a draft', () => {
  for (const format of ['ubl', 'cii']) {
    test(`${format}: what was exported comes back to the cent`, async () => {
      const invoice = await anInvoice(running, pair, rich)
      const file = await exportOf(running, pair, invoice, format)
      const { status, body, text } = await importFile(running, pair, file)
      assert.equal(status, 201, text)
      for (const name of amounts) assert.deepEqual(body[name], invoice[name], name)
      const { issuer_ref: number } = body.external_refs
      assert.equal(number, invoice.number)
      assert.deepEqual([body.status, body.due_date], ['draft', invoice.due_date])
      assert.equal(body.import.format, format)
      const path = `/v1/documents/${body.id}`
      const read = await callApi(running, 'GET', path, { key: pair.issuer.key })
      assert.equal(read.body.total, invoice.total)
    })
  }

  test('a category of a file stays one, and none is made up', async () => {
    const untaxed = { ...line, tax_rate: 0 }
    const invoice = await anInvoice(running, pair, {
      line_items: [untaxed, { ...untaxed, tax_category: 'G' }, line],
    })
    const categoriesOf = async (file: string) => {
      const { body, text } = await importFile(running, pair, file, { 'svc-dry-run': 'true' })
      assert(body.line_items !== undefined, text)
      return body.line_items.map(({ tax_category }: { tax_category: string }) => tax_category)
    }
    for (const format of ['ubl', 'cii', 'csv'])
      assert.deepEqual(await categoriesOf(await exportOf(running, pair, invoice, format)), [
        'Z',
        'G',
        null,
      ])
    const rows = (await exportOf(running, pair, invoice, 'csv')).split('\r\n')
    const at = rows[0]!.split(',').indexOf('tax_category')
    const bare = rows.map((row) => (row === '' ? '' : row.split(',').toSpliced(at, 1).join(',')))
    assert.deepEqual(await categoriesOf(bare.join('\r\n')), [null, null, null])
  })

  test('csv: the discount is an amount, and the total is the same', async () => {
    const invoice = await anInvoice(running, pair, rich)
    const file = await exportOf(running, pair, invoice, 'csv')
    const { body, text } = await importFile(running, pair, file)
    assert.equal(body.total, invoice.total, text)
    assert.deepEqual(body.tax_breakdown, invoice.tax_breakdown)
    assert.equal(body.line_items[0].description, line.description)
  })

  test('csv: a text that looks like a formula comes back as it was', async () => {
    const texts = ['=1+1', "'=1+1", "''@x", '-1', "'-1", '＝1', "'s", '+1 "x", y']
    const line_items = texts.map((description) => ({ ...line, description }))
    const file = await exportOf(
      running,
      pair,
      await anInvoice(running, pair, { line_items }),
      'csv',
    )
    assert.doesNotMatch(file, /(?:^|[,"\n])[=@+＝]/)
    const { body, text } = await importFile(running, pair, file)
    const read = body.line_items?.map(({ description }: { description: string }) => description)
    assert.deepEqual(read, texts, text)
  })

  for (const format of ['ubl', 'cii', 'csv']) {
    test(`${format}: a credit note credits the invoice that the file names`, async () => {
      const invoice = await anInvoice(running, pair, rich)
      const path = `/v1/documents/${invoice.id}/convert`
      const { key } = pair.issuer
      const converted = await callApi(running, 'POST', path, {
        key,
        body: { document_type: 'credit_note' },
      })
      const file = await exportOf(running, pair, converted.body, format)
      const { body, text } = await importFile(running, pair, file)
      assert.deepEqual(body.references, [{ rel: 'credits', document_id: invoice.id }], text)
      assert.equal(body.total, invoice.total)
      const foreign = file.replaceAll(invoice.number, 'INV-999999')
      assert.match((await messagesOf(foreign))[0]!, /^BT-25: .*INV-999999/)
    })
  }

  test('a credit note that names several invoices is refused', async () => {
    const { id } = await anInvoice(running, pair, rich)
    const { key } = pair.issuer
    const converted = await callApi(running, 'POST', `/v1/documents/${id}/convert`, {
      key,
      body: { document_type: 'credit_note' },
    })
    const file = await exportOf(running, pair, converted.body, 'ubl')
    const reference = /<cac:BillingReference>.*?<\/cac:BillingReference>/s
    const several = file.replace(reference, (one) => one + one.replace('INV-', 'OLD-'))
    assert.match((await messagesOf(several))[0]!, /^BT-25: .*names 2/)
  })

  test('a dry run says what was understood and what was not, and changes nothing', async () => {
    const file = ubl
      .replace('<cbc:BuyerReference>', '<cbc:CostCode>7</cbc:CostCode><cbc:BuyerReference>')
      .replace('unitCode="C62"', 'unitCode="HUR"')
    const dry = await importFile(running, pair, file, { 'svc-dry-run': 'true' })
    assert.equal(dry.status, 200, dry.text)
    const { understood, ignored } = dry.body.import
    assert(understood.some((one: object) => JSON.stringify(one).includes('BT-20')))
    const unread = ignored.map(({ source }: { source: string }) => source)
    assert(unread.includes('Invoice/CostCode'), dry.text)
    assert(unread.includes('Invoice/InvoiceLine/InvoicedQuantity/@unitCode'), dry.text)
    assert(unread.includes('Invoice/AccountingCustomerParty/Party/PostalAddress/CityName'))
    assert(!unread.some((source: string) => source.includes('PriceAmount')), dry.text)
    const path = `/v1/documents/${dry.body.id}`
    const read = await callApi(running, 'GET', path, { key: pair.issuer.key })
    assertRefused(read, 'not_found')
  })

  test('what an export puts in by itself does not become part of the draft', async () => {
    for (const notes of ['Delivered.\nWith thanks', '#AAI# Order', null]) {
      const draft = await aDraft(running, pair, { notes })
      for (const format of ['ubl', 'cii']) {
        const file = await exportOf(running, pair, draft, format)
        assert.match(file, /SANDBOX: NO LEGAL EFFECT\.\s+DRAFT: NOT ISSUED\./)
        assert(file.includes(pair.connection), 'Peppol wants a reference of the buyer')
        const { body, text } = await importFile(running, pair, file)
        assert.equal(body.notes, notes, text)
        assert.deepEqual(Object.keys(body.external_refs), ['issuer_ref'])
        const unread = body.import.ignored.map(({ value }: { value: string }) => value)
        for (const own of ['SANDBOX: NO LEGAL EFFECT.', 'DRAFT: NOT ISSUED.', pair.connection])
          assert(unread.includes(own), text)
      }
    }
    const theirs = ubl
      .replace(pair.connection, 'Dept. 7')
      .replace('SANDBOX: NO LEGAL EFFECT.', 'Ours: SANDBOX: NO LEGAL EFFECT.')
    const { body } = await importFile(running, pair, theirs)
    assert.equal(body.external_refs.buyer_ref, 'Dept. 7')
    assert.equal(body.notes, 'Ours: SANDBOX: NO LEGAL EFFECT.\nDelivered.')
  })

  test('a retry has one effect, and another file under the key is a conflict', async () => {
    const headers = { 'idempotency-key': 'import-of-one-file' }
    const first = await importFile(running, pair, ubl, headers)
    const again = await importFile(running, pair, ubl, headers)
    assert.equal(again.text, first.text)
    assertRefused(await importFile(running, pair, `${ubl} `, headers), 'idempotency_conflict')
  })
})

describe('domain 7: nothing is guessed', { concurrency: 8 }, () => {
  for (const rule of Object.keys(importRules) as ImportRule[]) {
    test(`${rule} is refused by its name, and by no other`, async () => {
      const mutants = importMutants[rule] ?? []
      assert(mutants.length > 0, `add a file that breaks ${rule} to import-mutants.ts`)
      for (const mutate of mutants) {
        const changed = mutate(ubl)
        assert.notEqual(changed, ubl)
        const messages = await messagesOf(changed)
        const named = new Set(messages.map((message) => message.split(':')[0]))
        assert.deepEqual([...named], [rule], messages.join('\n'))
      }
    })
  }
})

describe('domain 7: the seller in the file is the caller', () => {
  test('by its name where no identifiers are known, and a file without a seller is refused', async () => {
    const nameless = await aPair(running)
    const file = await exportOf(running, nameless, await anInvoice(running, nameless), 'csv')
    assert.equal((await importFile(running, nameless, file)).status, 201)
    const [header = '', row = ''] = file.split('\r\n')
    const at = header.split(',').indexOf('issuer')
    const issuer = row.split(',')[at]!
    const soldBy = (name: string) =>
      importFile(running, nameless, `${header}\r\n${row.split(',').with(at, name).join(',')}\r\n`)
    const spaced = ` ${issuer.toUpperCase().replaceAll(' ', '  ')} `
    assert.equal((await soldBy(spaced)).status, 201, spaced)
    const { errors } = assertRefused(await soldBy(''), 'invalid_request')
    assert.equal(errors[0].message, 'BG-4: The file names no seller.')
    assert.equal(errors[0].fix, `name ${issuer} as the seller`)
    const [other] = assertRefused(await soldBy('Someone'), 'invalid_request').errors
    const compared = `its name is Someone, and yours is ${issuer}`
    assert.equal(
      other.message,
      `BG-4: The seller of the file, Someone, is not your organization: ${compared}.`,
    )
  })

  test('by the identifier that decides, which the refusal names with both values', async () => {
    const [message = ''] = await messagesOf(ubl.replaceAll('BE0202239951', 'BE0403019261'))
    const compared = 'its VAT number is BE0403019261, and your profile has BE0202239951'
    assert.equal(
      message,
      `BG-4: The seller of the file, Corner Shop BV, is not your organization: ${compared}.`,
    )
  })
})

describe('domain 7: hostile files end at a bound', () => {
  const entities = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>`
  const csvHeader =
    'document_type,document_date,issuer,currency,description,quantity,unit_price,tax_percent,total'
  const hostile: Readonly<Record<string, [string, RegExp]>> = {
    'entities of its own': [ubl.replace('?>', `?>${entities}`), /document type/],
    'an external file': ['<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>', /document type/],
    'an unknown entity': [ubl.replace('Delivered.', '&xxe;'), /not well-formed/],
    depth: ['<a>'.repeat(1_000), /levels/],
    'too many elements': [`<a>${'<b/>'.repeat(30_000)}</a>`, /elements/],
    'too many attributes': [
      `<a ${Array.from({ length: 10_001 }, (_, i) => `xmlns:p${i}="u"`).join(' ')}/>`,
      /more than 10000 attributes/,
    ],
    'too many columns': [`${csvHeader}${',x'.repeat(100)}`, /more than 100 columns/],
    'a broken end': [ubl.slice(0, -20), /not well-formed/],
    'another root': ['<html/>', /root html/],
    'text of more than 1 MiB': ['a'.repeat(1024 * 1024 + 1), /above 1 MiB/],
    'text that is no CSV': ['hello', /nor a CSV with the columns/],
    'a total that is there twice': [
      ubl.replace(/<cbc:PayableAmount.*?<\/cbc:PayableAmount>/, (amount) => amount.repeat(2)),
      /Has PayableAmount twice/,
    ],
    'a sum of totals that is there twice': [
      ubl.replace(/<cac:LegalMonetaryTotal>.*<\/cac:LegalMonetaryTotal>/s, (sum) => sum.repeat(2)),
      /Has LegalMonetaryTotal twice/,
    ],
    'a line with two quantities': [
      ubl.replace(/<cbc:InvoicedQuantity.*?<\/cbc:InvoicedQuantity>/, (one) => one.repeat(2)),
      /Has InvoicedQuantity twice/,
    ],
    'a file with two dates of issue': [
      ubl.replace(/<cbc:IssueDate.*?<\/cbc:IssueDate>/, (date) => date.repeat(2)),
      /Has IssueDate twice/,
    ],
    'a file with two sellers': [
      ubl.replace(/<cac:AccountingSupplierParty>.*<\/cac:AccountingSupplierParty>/s, (party) =>
        party.repeat(2),
      ),
      /Has AccountingSupplierParty twice/,
    ],
    'a CSV with two totals': [csvHeader.replace('total', 'total,total'), /column total twice/],
  }
  for (const [name, [content, expected]] of Object.entries(hostile)) {
    test(`${name} is refused`, async () => {
      assert.match((await messagesOf(content))[0]!, expected)
    })
  }

  test('size is refused before the file is read, as is a form without its parts', async () => {
    const large = await importFile(running, pair, 'a'.repeat(5 * 1024 * 1024 + 1))
    assertRefused(large, 'payload_too_large')
    const reply = await callApi(running, 'POST', '/v1/documents/import', {
      key: pair.issuer.key,
      body: formWith(ubl),
    })
    assert.equal(assertRefused(reply, 'invalid_request').errors[0].param, '/connection_id')
  })

  test('the connection of others is not found', async () => {
    const other = await aPair(running)
    const body = formWith(ubl, other.connection)
    const { key } = pair.issuer
    assertRefused(
      await callApi(running, 'POST', '/v1/documents/import', { key, body }),
      'not_found',
    )
  })
})
