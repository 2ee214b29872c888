/**
 * A CSV → its rows by the names of its columns. What spreadsheets in other languages write is
 * refused by its place: other separators, and numbers with a decimal comma or signs of thousands.
 */
import { interopLimits } from '../../contract/interop-limits.ts'
import { textOfCell } from './csv.ts'
import { FileRefused } from './file-refused.ts'

/** The columns that a file must have. */
export const csvColumns = [
  'document_type',
  'document_date',
  'issuer',
  'currency',
  'description',
  'quantity',
  'unit_price',
  'tax_percent',
  'total',
]

const optionalColumns = new Set([
  'number',
  'due_date',
  'counterparty',
  'sku',
  'discount',
  'net',
  'tax_category',
  'subtotal',
  'tax',
  'payment_terms',
  'credited_invoice',
  'order_number',
])

/** Names of columns for money that no line has, such as shipping and discount_total. */
const isOtherMoney =
  /(?:^|[^a-z])(?:shipping|freight|postage|handling|delivery_fee|charge|surcharge|fee|allowance|discount|rebate|deposit|prepaid|tip|rounding)s?(?:[^a-z]+(?:amount|cost|costs|total|price|value|net|gross|usd|eur|gbp|cad))*$/i

const numeric = new Set([
  'quantity',
  'unit_price',
  'tax_percent',
  'discount',
  'net',
  'subtotal',
  'tax',
  'total',
])

/** They are written in cents, so three digits after a point may be meant as thousands. */
const amounts = new Set(['discount', 'net', 'subtotal', 'tax', 'total'])
const mayCountThousands = /^[-+]?[1-9]\d{0,2}\.\d{3}$/

/** Null for an empty cell. */
export type Row = Readonly<Record<string, string | null>>

/** Throws FileRefused with a sentence that says why. */
export const readTable = (text: string): { columns: string[]; rows: Row[] } => {
  refuseOtherSeparators(text)
  const [header = [], ...others] = cellsOf(text)
  const columns = header.map((name, i) => columnOf(name, i + 1))
  refuseOtherColumns(columns)
  const last = others.findLastIndex((cells) => cells.some((cell) => cell.trim() !== ''))
  const rows = others.slice(0, last + 1).map((cells, i) => rowOf(columns, cells, i + 2))
  refuseOtherNumbers(rows)
  refuseThousands(rows)
  refuseOtherMoney(rows)
  return { columns, rows }
}

/** The columns that an import reads are found in capitals as well, and between spaces. */
const columnOf = (name: string, place: number): string => {
  const plain = name.trim().toLowerCase()
  if (plain === '') return `column ${place}`
  return csvColumns.includes(plain) || optionalColumns.has(plain) ? plain : name
}

const asExported = `name the columns as format=csv does, at least ${csvColumns.join(', ')}`

const separators: Readonly<Record<string, string>> = {
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'vertical bars',
}

/** By the header, whose names contain none of them. */
const refuseOtherSeparators = (text: string): void => {
  const header = text.slice(0, text.search(/[\r\n]|$/))
  const found = Object.keys(separators).find((one) => header.includes(one))
  if (found !== undefined && !header.includes(','))
    throw new FileRefused(
      `Is a CSV with ${separators[found]} between its cells, and is read with commas only.`,
      'save it with commas between the cells, and with points in amounts, such as 19.99',
    )
}

/** RFC 4180, with commas; rows end as those of Unix and of old spreadsheets do, too. */
const cellsOf = (text: string): string[][] => {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n?|\n|$)/y
  // The last cell of a file without a line end can be empty: it begins where the text ends.
  while (cell.lastIndex < text.length || row.length > 0) {
    const match = cell.exec(text)
    if (match === null)
      throw new FileRefused(
        `Has a quotation mark in the wrong place in row ${rows.length + 1}.`,
        'put the whole cell in quotation marks, and write those inside of it twice: "a 9"" nail"',
      )
    const [, quoted, plain = '', end] = match
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (rows.length > interopLimits.csvRowsMax)
      throw new FileRefused(`Has more than ${interopLimits.csvRowsMax} rows.`, 'send fewer lines')
    rows.push(row)
    row = []
  }
  return rows
}

const refuseOtherColumns = (columns: readonly string[]): void => {
  const { csvColumnsMax } = interopLimits
  if (columns.length > csvColumnsMax)
    throw new FileRefused(`Has more than ${csvColumnsMax} columns.`, asExported)
  const missing = csvColumns.filter((name) => !columns.includes(name))
  if (missing.length === csvColumns.length)
    throw new FileRefused('Is neither XML nor a PDF, nor a CSV with the columns of format=csv.')
  if (missing.length > 0)
    throw new FileRefused(
      `Is a CSV without the column${missing.length === 1 ? '' : 's'} ${missing.join(', ')}.`,
      asExported,
    )
  const twice = repeatedName(columns)?.slice(0, 100)
  if (twice !== undefined)
    throw new FileRefused(`Has the column ${twice} twice.`, 'leave one of them out')
}

const repeatedName = (columns: readonly string[]): string | undefined => {
  const seen = new Set<string>()
  return columns.find((name) => seen.size === seen.add(name).size)
}

/** The apostrophe before what a spreadsheet calculates is taken off. */
const rowOf = (columns: readonly string[], cells: readonly string[], number: number): Row => {
  if (cells.length !== columns.length)
    throw new FileRefused(
      `The number of cells is ${cells.length} in row ${number}, and ${columns.length} in its header.`,
      'put a cell that contains a comma in quotation marks, and write amounts with a point',
    )
  return Object.fromEntries(columns.map((name, i) => [name, textOfCell(cells[i]!) || null]))
}

/** How many digits a number has, and its sign, is for the rules of the import to say. */
const refuseOtherNumbers = (rows: readonly Row[]): void => {
  const wrong = rows.flatMap((row, i) =>
    Object.entries(row)
      .filter(([name, value]) => numeric.has(name) && value !== null && !/^[-+\deE.]+$/.test(value))
      .map(([name, value]) => `${value!.slice(0, 30)} in row ${i + 2}, column ${name}`),
  )
  const [first, ...others] = wrong
  if (first === undefined) return
  const more = ['', ', nor is 1 other'][others.length] ?? `, nor are ${others.length} others`
  throw new FileRefused(
    `Has ${first}, which is no number with a decimal point${more}.`,
    'write numbers with a point and nothing else, such as 1234.56 for 1.234,56 €',
  )
}

const refuseThousands = (rows: readonly Row[]): void => {
  for (const [i, row] of rows.entries())
    for (const [name, value] of Object.entries(row)) {
      if (value === null || !amounts.has(name) || !mayCountThousands.test(value)) continue
      throw new FileRefused(
        `Has ${value} in row ${i + 2}, column ${name}, which may count thousands.`,
        'write amounts with two decimals, such as 1000.00, or 1.00',
      )
    }
}

/** What carries money is never left off: a cell of such a column that is a number and not 0. */
const refuseOtherMoney = (rows: readonly Row[]): void => {
  for (const [i, row] of rows.entries())
    for (const [name, value] of Object.entries(row)) {
      if (value === null || numeric.has(name) || !isOtherMoney.test(name)) continue
      if (!/^[^\p{L}\d]*\d[^\p{L}]*$/u.test(value) || !/[1-9]/.test(value)) continue
      throw new FileRefused(
        `Has ${value.slice(0, 30)} in row ${i + 2}, column ${name.slice(0, 100)}, which carries money and has no place in a document.`,
        'make a charge a line of its own, and give what is taken off a line in its column discount',
      )
    }
}
