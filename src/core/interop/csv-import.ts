/** A CSV with one row per line, as `format=csv` writes it → what it says. */
import { interopLimits } from '../../contract/interop-limits.ts'
import { type Row, readTable } from './csv-table.ts'
import { FileRefused } from './file-refused.ts'
import type { ImportedDocument, ImportedLine } from './imported-document.ts'

const typeCodes = new Map([
  ['invoice', '380'],
  ['credit_note', '381'],
])

const withoutIds = { vatId: null, companyId: null, electronicAddress: null }

/** Throws FileRefused with a sentence that says why. */
export const readCsv = (text: string): ImportedDocument => {
  const { columns, rows: all } = readTable(text)
  const [first] = all
  if (first === undefined) throw new FileRefused('Has no row below its header.')
  const read = new Set(['line'])
  const common = (name: string): string | null => {
    read.add(name)
    const value = first[name] ?? null
    if (all.some((row) => (row[name] ?? null) !== value))
      throw new FileRefused(
        `Has several values in the column ${name}: a file is one document.`,
        `send each document as a file of its own, with the same ${name} in each of its rows`,
      )
    return value
  }
  const cell = (row: Row, name: string): string | null => {
    read.add(name)
    return row[name] ?? null
  }
  const document: Omit<ImportedDocument, 'ignored'> = {
    format: 'csv',
    typeCode: typeCodes.get(common('document_type') ?? '') ?? common('document_type'),
    number: common('number'),
    date: common('document_date'),
    dueDate: common('due_date'),
    currency: common('currency'),
    amountCurrencies: [],
    paymentTerms: common('payment_terms'),
    notes: [],
    buyerReference: null,
    orderNumber: common('order_number'),
    creditedInvoices: [common('credited_invoice')].filter((number) => number !== null),
    seller: { ...withoutIds, name: common('issuer') },
    buyer: { ...withoutIds, name: common('counterparty') },
    payee: null,
    accounts: [],
    lines: all.map((row) => lineOf((name) => cell(row, name))),
    allowances: [],
    taxGroups: undefined,
    totals: {
      lines: common('subtotal'),
      net: null,
      tax: common('tax'),
      total: common('total'),
      allowances: null,
      charges: null,
      prepaid: null,
      rounding: null,
      payable: null,
    },
  }
  const ignored = columns
    .filter((name) => !read.has(name))
    .flatMap((source) => {
      const value = all.map((row) => row[source]).find((text) => text !== null)
      return value === undefined ? [] : [{ source, value: value.slice(0, 100) }]
    })
  return { ...document, ignored: ignored.slice(0, interopLimits.importReportMaxEntries) }
}

const lineOf = (cell: (name: string) => string | null): ImportedLine => {
  const [percent, discount] = [cell('tax_percent'), cell('discount')]
  const category = cell('tax_category')
  return {
    description: cell('description'),
    sku: cell('sku'),
    quantity: cell('quantity'),
    unitPrice: cell('unit_price'),
    baseQuantity: null,
    net: cell('net'),
    ...(category === null ? impliedBy(percent) : { category }),
    rate: percent,
    allowances: discount === null ? [] : [{ isCharge: false, amount: discount, percent: null }],
  }
}

/** As an export would have it. */
const impliedBy = (percent: string | null) =>
  ({ category: Number(percent) > 0 ? 'S' : 'Z', isCategoryImplied: true }) as const
