/** Issue 19: an import shows what it understood, field by field, and what it did not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callApi } from '../../support/api-client.ts'
import { aPair, anInvoice } from '../../support/fixtures.ts'
import { withProfiles } from '../../support/identity/profiles.ts'
import { exportOf, importFile } from '../../support/interop/import-client.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService()
const pair = await withProfiles(running, await aPair(running))

interface Entry {
  field: string
  term: string
  value: string
}

const oak = { description: 'Oak boards', quantity: 12, unit_price: 19.99, tax_rate: 0.21 }
const wool = { description: 'Wool', quantity: 0.333333, unit_price: 33.333333, tax_rate: 0.06 }

const invoice = await anInvoice(running, pair, {
  line_items: [
    { ...oak, sku: 'O-1', discount_type: 'percent', discount_value: 10 },
    { ...wool, discount_type: 'fixed', discount_value: 1.01 },
    { ...wool, description: 'Book', tax_rate: 0, tax_category: 'E' },
  ],
})

const understoodOf = async (file: string | Uint8Array): Promise<Entry[]> => {
  const { body, text } = await importFile(running, pair, file, { 'svc-dry-run': 'true' })
  assert(body.import !== undefined, text)
  return body.import.understood
}

const pdf = async (): Promise<Uint8Array> => {
  const path = `${running.baseUrl}/v1/documents/${invoice.id}/render?format=facturx`
  const headers = { authorization: `Bearer ${pair.issuer.key}` }
  return new Uint8Array(await (await fetch(path, { headers })).arrayBuffer())
}

/** 19.990 is 19.99. */
const comparable = (value: string): string =>
  /^\d+(\.\d+)?$/.test(value) ? String(Number(value)) : value

/** The values of each field, by its terms. */
const byField = (entries: readonly Entry[]): Record<string, string> =>
  Object.fromEntries(
    entries.map(({ field, term, value }) => [`${field} ${term}`, comparable(value)]),
  )

const expectedOf = (format: string): Record<string, unknown> => {
  const expected: Record<string, unknown> = {
    'document_type BT-3': 'invoice',
    'currency BT-5': invoice.currency,
    'document_date BT-2': invoice.document_date,
    'external_refs.issuer_ref BT-1': invoice.number,
    'issuer.name BT-27': format === 'csv' ? invoice.issuer.name : 'Corner Shop BV',
    'counterparty.name BT-44': format === 'csv' ? invoice.counterparty.name : 'Acheteur SARL',
    'subtotal BT-106': invoice.subtotal,
    'tax BT-110': invoice.tax,
    'total BT-112': invoice.total,
    'line_items BG-25': 3,
  }
  for (const [i, line] of invoice.line_items.entries()) {
    const field = `line_items[${i}]`
    expected[`${field}.description BT-153`] = line.description
    expected[`${field}.quantity BT-129`] = line.quantity
    expected[`${field}.unit_price BT-146`] = line.unit_price
    expected[`${field}.tax_category BT-151`] = line.tax_category ?? 'S'
    expected[`${field}.tax_rate BT-152`] = Number((line.tax_rate * 100).toFixed(2))
    expected[`${field}.net BT-131`] = line.net
    if (line.sku !== null) expected[`${field}.sku BT-155`] = line.sku
    if (line.discount > 0) expected[`${field}.discount_value BT-136`] = line.discount
  }
  if (format === 'csv') return expected
  expected['line_items[0].discount_value BT-138'] = 10
  expected['issuer.vat_id BT-31'] = 'BE0202239951'
  expected['issuer.company_id BT-30'] = '0202239951'
  expected['issuer.electronic_address BT-34'] = '0202239951'
  expected['counterparty.company_id BT-47'] = '303265045'
  expected['counterparty.vat_id BT-48'] = 'FR40303265045'
  expected['counterparty.electronic_address BT-49'] = '7300010000001'
  expected['subtotal BT-109'] = invoice.subtotal
  expected['total BT-115'] = invoice.total
  for (const [i, group] of invoice.tax_breakdown.entries()) {
    const field = `tax_breakdown[${i}]`
    expected[`${field}.taxable BT-116`] = group.taxable
    expected[`${field}.tax BT-117`] = group.tax
    expected[`${field} BT-118`] = group.tax_rate === 0 ? 'E' : 'S'
    expected[`${field}.tax_rate BT-119`] = Number((group.tax_rate * 100).toFixed(2))
  }
  return expected
}

describe('issue 19: what an import understood', () => {
  for (const format of ['ubl', 'cii', 'csv', 'facturx']) {
    test(`${format}: every line, the seller, the totals and the taxes, as the file has them`, async () => {
      const file =
        format === 'facturx' ? await pdf() : await exportOf(running, pair, invoice, format)
      const found = byField(await understoodOf(file))
      for (const [name, value] of Object.entries(expectedOf(format)))
        assert.equal(found[name], comparable(String(value)), `${name} in ${JSON.stringify(found)}`)
    })
  }

  test('of 200 lines, those that are left off are named', async () => {
    const line_items = Array.from({ length: 200 }, (_, i) => ({ ...oak, sku: `O-${i}` }))
    const long = await anInvoice(running, pair, { line_items })
    const entries = await understoodOf(await exportOf(running, pair, long, 'ubl'))
    assert(entries.length <= 500, String(entries.length))
    const [, first] = /^line_items\[(\d+)\] to line_items\[199\]$/.exec(entries.at(-1)!.field)!
    const listed = entries.filter(({ term }) => term === 'BT-131').map(({ field }) => field)
    assert.deepEqual(
      listed,
      Array.from({ length: Number(first) }, (_, i) => `line_items[${i}].net`),
    )
    assert(Number(first) >= 50)
  })

  test('what an invoice refers to is not understood', async () => {
    const file = await exportOf(running, pair, invoice, 'ubl')
    const old =
      '<cac:InvoiceDocumentReference><cbc:ID>OLD-1</cbc:ID></cac:InvoiceDocumentReference>'
    const referring = file.replace(
      '<cac:AccountingSupplierParty>',
      `<cac:BillingReference>${old}</cac:BillingReference><cac:AccountingSupplierParty>`,
    )
    const { body } = await importFile(running, pair, referring, { 'svc-dry-run': 'true' })
    assert.deepEqual(
      body.import.ignored.filter(({ source }: { source: string }) => source === 'BT-25'),
      [{ source: 'BT-25', value: 'OLD-1' }],
    )
  })

  test('a credit note says what it credits', async () => {
    const path = `/v1/documents/${invoice.id}/convert`
    const { body } = await callApi(running, 'POST', path, {
      key: pair.issuer.key,
      body: { document_type: 'credit_note' },
    })
    const entries = await understoodOf(await exportOf(running, pair, body, 'ubl'))
    assert.equal(byField(entries)['references BT-25'], invoice.number)
  })
})
