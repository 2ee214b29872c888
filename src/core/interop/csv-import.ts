/** A CSV with one row per line, as `format=csv` writes it → what it says. */
import { interopLimits } from '../../contract/interop-limits.ts'
import { textOfCell } from './csv.ts'
import { FileRefused } from './file-refused.ts'
import type { ImportedDocument, ImportedLine } from './imported-document.ts'

const required = ['document_type', 'document_date', 'issuer', 'currency', 'description']
const perLine = ['quantity', 'unit_price', 'tax_percent', 'total']

const typeCodes = new Map([
  ['invoice', '380'],
  ['credit_note', '381'],
])

type Row = Readonly<Record<string, string | null>>

/** Throws FileRefused with a sentence that says why. */
export const readCsv = (text: string): ImportedDocument => {
  const [columns = [], ...rows] = cellsOf(text)
  if (columns.length > interopLimits.csvColumnsMax)
    throw new FileRefused(`Has more than ${interopLimits.csvColumnsMax} columns.`)
  const missing = [...required, ...perLine].filter((name) => !columns.includes(name))
  if (missing.length > 0)
    throw new FileRefused(`Is a text or a CSV without the columns ${missing.join(', ')}.`)
  const twice = repeatedName(columns)
  if (twice !== undefined) throw new FileRefused(`Has the column ${twice.slice(0, 100)} twice.`)
  const all = rows.map((cells): Row => rowOf(columns, cells))
  const [first] = all
  if (first === undefined) throw new FileRefused('Has no row below its header.')
  const read = new Set(['line'])
  const common = (name: string): string | null => {
    read.add(name)
    const value = first[name] ?? null
    if (all.some((row) => (row[name] ?? null) !== value))
      throw new FileRefused(`Has several values in the column ${name}: a file is one document.`)
    return value
  }
  const cell = (row: Row, name: string): string | null => {
    read.add(name)
    return row[name] ?? null
  }
  const document: Omit<ImportedDocument, 'ignored'> = {
    format: 'csv',
    typeCode: typeCodes.get(common('document_type') ?? '') ?? null,
    number: common('number'),
    date: common('document_date'),
    dueDate: common('due_date'),
    ...{ currency: common('currency'), amountCurrencies: [] },
    ...{ paymentTerms: null, notes: [], buyerReference: null, orderNumber: null },
    creditedInvoices: [common('credited_invoice')].filter((number) => number !== null),
    seller: { name: common('issuer'), vatId: null, companyId: null, electronicAddress: null },
    lines: all.map((row) => lineOf((name) => cell(row, name))),
    ...{ allowances: [], taxGroups: undefined },
    totals: {
      ...{ lines: common('subtotal'), net: null, tax: common('tax'), total: common('total') },
      ...{ allowances: null, charges: null, prepaid: null, rounding: null, payable: null },
    },
  }
  const ignored = columns
    .filter((name) => !read.has(name) && (first[name] ?? null) !== null)
    .map((source) => ({ source, value: first[source]!.slice(0, 100) }))
  return { ...document, ignored: ignored.slice(0, interopLimits.importReportMaxEntries) }
}

const repeatedName = (columns: readonly string[]): string | undefined => {
  const seen = new Set([''])
  return columns.find((name) => name !== '' && seen.size === seen.add(name).size)
}

const lineOf = (cell: (name: string) => string | null): ImportedLine => {
  const [percent, discount] = [cell('tax_percent'), cell('discount')]
  return {
    ...{ description: cell('description'), sku: cell('sku'), quantity: cell('quantity') },
    ...{ unitPrice: cell('unit_price'), baseQuantity: null, net: cell('net') },
    category: cell('tax_category') ?? (Number(percent) > 0 ? 'S' : 'Z'),
    rate: percent,
    allowances: discount === null ? [] : [{ isCharge: false, amount: discount, percent: null }],
  }
}

/** Null for an empty cell. The apostrophe before what a spreadsheet calculates is taken off. */
const rowOf = (columns: readonly string[], cells: readonly string[]): Row => {
  if (cells.length !== columns.length)
    throw new FileRefused('Has a row with more or fewer cells than its header.')
  return Object.fromEntries(columns.map((name, i) => [name, textOfCell(cells[i]!) || null]))
}

/** RFC 4180, with commas. */
const cellsOf = (text: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text)
    if (match === null) throw new FileRefused('Has a quotation mark in the wrong place.')
    const [, quoted, plain = '', end] = match
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end !== ',') {
      if (rows.length > interopLimits.csvRowsMax)
        throw new FileRefused(`Has more than ${interopLimits.csvRowsMax} rows.`)
      rows.push(row)
      row = []
    }
  }
  return rows
}
