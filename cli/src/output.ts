/** Results: a table for people, the bytes of the service with `--json`. */
import { amountFields } from './generated/amounts.ts'
import type { Io } from './io.ts'
import { cellText, cut, filled, stderrOf, stdoutOf, styled, widthOf } from './style.ts'

type Row = Readonly<Record<string, unknown>>

export const printJson = ({ stdout }: Io, value: unknown): void => {
  stdout.write(`${JSON.stringify(value)}\n`)
}

/** What is not the result, such as hints, goes to stderr. */
export const note = (io: Io, text: string): void => {
  io.stderr.write(`${styled(stderrOf(io), 'dim', text)}\n`)
}

const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `counterparty.name` of a row. A name with dots may also be one key. */
const valueAt = (row: Row, path: string): unknown =>
  path in row
    ? row[path]
    : path.split('.').reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), row)

/** All currencies of the service have two decimals. */
const currencyDecimals = 2

/** Also a map of amounts by currency. A price of one unit may have more decimals. */
const isAmount = (name: string): boolean => amountNames.has(name.slice(name.lastIndexOf('.') + 1))

const amountNames: ReadonlySet<string> = new Set(amountFields)

const amountText = (amount: number): string =>
  /\.\d{3}/.test(String(amount)) ? String(amount) : amount.toFixed(currencyDecimals)

/** `name`: of the field, with those above it. */
const textOf = (value: unknown, name = ''): string => {
  if (typeof value === 'number' && isAmount(name)) return amountText(value)
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join(', ')
  if (isRecord(value)) return textOf(value['name'] ?? value['id'] ?? JSON.stringify(value))
  return cellText(typeof value === 'string' ? value : JSON.stringify(value))
}

const gap = '  '
const cellMaxWidth = 40

/** A terminal gets cells of a bounded width; a pipe and a file get all of the text. */
export const tableText = (io: Io, rows: readonly Row[], columns: readonly string[]): string => {
  const shown = (text: string) => (io.stdout.isTTY === true ? cut(text, cellMaxWidth) : text)
  const titles = columns.map((column) => column.replaceAll('_', ' ').toUpperCase())
  const cells = rows.map((row) =>
    columns.map((column) => shown(textOf(valueAt(row, column), column))),
  )
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[i]!))),
  )
  const isNumber = columns.map((column) =>
    rows.every((row) =>
      ['number', 'undefined'].includes(typeof (valueAt(row, column) ?? undefined)),
    ),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => filled(cell, widths[i]!, isNumber[i] ? 'left' : 'right'))
      .join(gap)
      .trimEnd()
  return `${[styled(stdoutOf(io), 'bold', line(titles)), ...cells.map(line)].join('\n')}\n`
}

/** One record: a line for each value, and a table for each list of records. */
export const recordText = (io: Io, record: Row): string => {
  const flat = flattened(record)
  const isTable = ([, value]: readonly [string, unknown]) =>
    Array.isArray(value) && value.length > 0 && value.every(isRecord)
  const lines = flat.filter((entry) => !isTable(entry))
  const width = Math.max(0, ...lines.map(([name]) => widthOf(name)))
  const tables = flat
    .filter(isTable)
    .map(([name, rows]) => `\n${name}\n${tableText(io, rows as Row[], columnsOf(rows as Row[]))}`)
  const text = lines.map(([name, value]) => `${filled(name, width)}${gap}${textOf(value, name)}\n`)
  return text.join('') + tables.join('') || 'Nothing.\n'
}

const flattened = (record: Row, prefix = ''): (readonly [string, unknown])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isRecord(value) && Object.keys(value).length > 0
      ? flattened(value, `${prefix}${name}.`)
      : [[prefix + name, isRecord(value) ? null : value] as const],
  )

/** What most rows have, without what is itself a list of records. */
export const columnsOf = (rows: readonly Row[]): string[] => {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  const isSimple = (value: unknown) =>
    !isRecord(value) && !(Array.isArray(value) && value.some(isRecord))
  const simple = [...names].filter((name) => rows.every((row) => isSimple(row[name])))
  return simple.length === 0 ? [...names] : simple
}
