/**
 * `pdftotext` reads of a PDF what the API says of its document, field by field, as an English and
 * as a German reader writes numbers and dates. Intl writes them here, and our own code there.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { buyerProfile, sellerProfile, setProfile } from '../support/identity/profiles.ts'
import { hasProgram } from '../support/processes/has-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'

const missing = ['pdftotext', 'pdfinfo'].filter((name) => !hasProgram(name))
const skip = missing.length > 0 && `NOT TESTED: needs ${missing.join(', ')} (poppler-utils)`

const run = (program: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

const running = await startTestService()
const folder = temporaryFolder()

/** The PDF of a document, as a file. */
const fileOf = async (document: string, key: string): Promise<string> => {
  const response = await fetch(`${running.baseUrl}/v1/documents/${document}/render?format=pdf`, {
    headers: { authorization: `Bearer ${key}` },
  })
  assert.equal(response.status, 200)
  const file = join(folder, `${document}.pdf`)
  writeFileSync(file, new Uint8Array(await response.arrayBuffer()))
  return file
}

const boards = { description: 'Oak boards', quantity: 1234.5, unit_price: 19.99, tax_rate: 0.21 }
const request = {
  payment_terms: 'Net 30',
  line_items: [
    { ...boards, sku: 'O-1', discount_type: 'percent', discount_value: 12.5 },
    { description: 'Wool', quantity: 0.333333, unit_price: 33.333333, tax_rate: 0.0825 },
    { description: 'Books', quantity: 2, unit_price: 10_000, tax_rate: 0, tax_category: 'E' },
    {
      description: 'Delivery',
      quantity: 1,
      unit_price: 1045,
      tax_rate: 0.21,
      discount_type: 'fixed',
      discount_value: 1000.01,
    },
  ],
}

interface Line {
  description: string
  sku: string | null
  quantity: number
  unit_price: number
  tax_rate: number
  discount_type: 'percent' | 'fixed' | null
  discount_value: number | null
  discount: number
  net: number
}

/** With -layout, Poppler writes the space before a per cent sign, which does not break, or none. */
const plain = (text: string): string => text.replaceAll(/[ \u00a0]%/g, '%')

/** As a reader of the language writes it. */
const writerOf = (locale: 'en' | 'de') => {
  const region = locale === 'en' ? 'en-GB' : 'de-DE'
  const number = (value: number, least: number, most = 6): string =>
    new Intl.NumberFormat(region, {
      minimumFractionDigits: least,
      maximumFractionDigits: most,
    }).format(value)
  return {
    quantity: (value: number) => number(value, 0),
    price: (value: number) => number(value, 2),
    amount: (value: number) => number(value, 2, 2),
    percent: (rate: number) =>
      plain(
        new Intl.NumberFormat(region, { style: 'percent', maximumFractionDigits: 4 }).format(rate),
      ),
    date: (day: string) =>
      new Date(day).toLocaleDateString(region, { dateStyle: 'long', timeZone: 'UTC' }),
  }
}

interface TaxGroup {
  tax_rate: number
  taxable: number
  tax: number
}

const wordsOf = {
  en: { terms: 'Terms: Net 30', vat: 'VAT', tax: 'Tax', of: 'of' },
  de: {
    terms: 'Bedingungen: Zahlbar innerhalb von 30 Tagen',
    vat: 'USt-IdNr.',
    tax: 'Steuer',
    of: 'auf',
  },
}

/** The cells of a row of the table, from left to right. */
const cellsOf = (line: Line, locale: 'en' | 'de'): string[] => {
  const { quantity, price, percent, amount } = writerOf(locale)
  const { discount_type: type, discount_value: value } = line
  return [
    line.description,
    quantity(line.quantity),
    price(line.unit_price),
    ...(type === 'percent' ? [percent(value! / 100)] : []),
    ...(type === 'fixed' ? [`−${amount(line.discount)}`] : []),
    percent(line.tax_rate),
    amount(line.net),
  ]
}

const american = {
  legal_name: 'Harbor Supply Inc.',
  company_id: '12-3456789',
  locale: 'en',
  address: {
    line1: '1 Main Street',
    city: 'Boston',
    postal_code: '02110',
    region: 'MA',
    country: 'US',
  },
}

const papers = [
  { locale: 'en', seller: sellerProfile, size: /595\.\d+ x 841\.\d+ pts \(A4\)/ },
  { locale: 'de', seller: { ...sellerProfile, locale: 'de' }, size: /\(A4\)/ },
  { locale: 'en', seller: american, size: /612 x 792 pts \(letter\)/ },
] as const

describe('PDFs of the service', { skip }, () => {
  for (const { locale, seller, size } of papers) {
    const paper = seller === american ? 'Letter' : 'A4'
    test(`${locale} on ${paper}: pdftotext reads the fields of the API`, async () => {
      // A sandbox would write its watermark through the lines.
      const pair = await aPair(running, 'live')
      await setProfile(running, pair.issuer, seller)
      await setProfile(running, pair.counterparty, buyerProfile)
      const invoice = await anInvoice(running, pair, request)
      const file = await fileOf(invoice.id, pair.issuer.key)
      assert.match(run('pdfinfo', file), size)
      const text = plain(run('pdftotext', '-layout', file, '-'))
      const rows = text.split('\n').map((row) => row.trim().split(/ {2,}/))
      for (const line of invoice.line_items as Line[]) {
        const row = rows.find((cells) => cells.includes(line.description))
        // The first cell is the number of the line.
        assert.deepEqual(row?.slice(1), cellsOf(line, locale), text)
        if (line.sku !== null) assert(text.includes(line.sku), text)
      }
      const { amount, percent, date } = writerOf(locale)
      const { vat_id, bank } = { vat_id: null, bank: null, ...seller }
      const words = wordsOf[locale]
      for (const { tax_rate, taxable, tax } of invoice.tax_breakdown as TaxGroup[]) {
        if (tax_rate === 0) continue
        const label = `${words.tax} ${percent(tax_rate)} ${words.of} ${amount(taxable)}`
        assert(
          rows.some((cells) => cells[0] === label && cells[1] === amount(tax)),
          text,
        )
      }
      for (const field of [
        invoice.number,
        invoice.currency,
        seller.legal_name,
        buyerProfile.legal_name,
        ...[invoice.document_date, invoice.due_date].map(date),
        ...[invoice.subtotal, invoice.total].map(amount),
        words.terms,
        ...[buyerProfile.vat_id, ...(vat_id === null ? [] : [vat_id])].map(
          (one) => `${words.vat} ${one}`,
        ),
        ...(bank === null ? [] : [`IBAN: ${bank.iban.replaceAll(/(.{4})(?=.)/g, '$1 ')}`]),
      ])
        assert(text.includes(field), `${field} in ${text}`)
    })
  }

  test('text that the font lacks is shown as boxes, and copied as what it is', async () => {
    const pair = await aPair(running, 'live')
    const texts = ['\u0634\u0631\u0643\u0629', '\u6771\u4eac\u306e\u68da', 'Shelf \u{1f4da} 3']
    const lines = texts.map((description) => ({ ...boards, description }))
    const invoice = await anInvoice(running, pair, { line_items: lines })
    const text = run('pdftotext', '-layout', await fileOf(invoice.id, pair.issuer.key), '-')
    // It turns text from right to left, as if each letter had been drawn at its place.
    const [arabic, ...others] = texts
    for (const one of [[...arabic!].toReversed().join(''), ...others])
      assert(text.includes(one), `${one} in ${text}`)
    assert.doesNotMatch(text, /\u25a1/)
  })
})
