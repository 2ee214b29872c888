/**
 * Packs columns of a row into one text, because the driver's cost is per value, and a seal covers
 * that very text (row-seals.ts).
 */
import { columns } from './columns.ts'
import {
  BrokenSeal,
  type RowSeals,
  type SealedTable,
  type TextTable,
  isLaterColumn,
  nullMark,
  sealedTables,
  separator,
  storedSealedColumns,
} from './row-seals.ts'
import type { Rows } from './rows.ts'
import { type SqlQuery, raw, timestamp } from './sql.ts'

/** SQL that joins these values. `concat_ws` leaves out nulls, so none may be null. */
export const packed = (values: readonly string[]): SqlQuery =>
  raw(`concat_ws(E'\\x1f', ${values.join(', ')})`)

export const nullIfEmpty = (value: string): string | null => (value === '' ? null : value)

export const nullIfMarked = (value: string): string | null => (value === nullMark ? null : value)

/**
 * The values of a printed row, at most `count`, in two thirds of the time that `split` takes. More
 * of them are in no row that was sealed.
 */
export const splitPrinted = (printed: string, count: number): string[] => {
  const values: string[] = new Array<string>(count)
  let from = 0
  for (let i = 0; i < count; i += 1) {
    const end = printed.indexOf(separator, from)
    if (end < 0) {
      values[i] = printed.slice(from)
      values.length = i + 1
      break
    }
    values[i] = printed.slice(from, end)
    from = end + 1
  }
  return values
}

/** SQL that prints a column as its seal covers it. */
export const printedColumn = (table: SealedTable, alias: string, name: string): string => {
  const type = (columns[table] as Readonly<Record<string, string>>)[name]!
  const column = `${alias}.${name}`
  const printed = type.startsWith('text[]') ? `array_to_json(${column})` : column
  const isPrinted = type.endsWith('?') && !isLaterColumn(table, name)
  return isPrinted ? `coalesce(${printed}::text, E'\\x1e')` : printed
}

/** SQL of a whole sealed row, for a statement that joins rows of several tables. */
export const packedRow = (table: SealedTable, alias: string): SqlQuery =>
  packed([
    `encode(${alias}.seal, 'hex')`,
    ...storedSealedColumns(table).map((name) => printedColumn(table, alias, name)),
  ])

type Parse = (text: string) => unknown

const parsers: Readonly<Record<string, Parse>> = {
  boolean: (text) => text === 't',
  bytea: (text) => Buffer.from(text.slice(2), 'hex'),
  bigint: BigInt,
  integer: Number,
  timestamptz: timestamp,
  'text[]': (text) => JSON.parse(text),
}

/** For each table the names of its sealed columns, and what reads them. */
const readers = Object.fromEntries(
  sealedTables.map((table) => {
    const types = columns[table] as Readonly<Record<string, string>>
    return [
      table,
      storedSealedColumns(table).map(
        (name) => [name, parsers[types[name]!.replace('?', '')] ?? String] as const,
      ),
    ]
  }),
) as unknown as Readonly<Record<SealedTable, readonly (readonly [string, Parse])[]>>

/**
 * The sealed columns of a row; throws BrokenSeal if they are not as they were sealed. In a text
 * table, `textOf` says for what text the row stands.
 */
export const unpackRow = <T extends SealedTable>(
  seals: RowSeals,
  table: T,
  packed: string,
  ...[textOf]: T extends TextTable ? [textOf: (row: Rows[T]) => string] : []
): Rows[T] => {
  const sealEnd = packed.indexOf(separator)
  const printed = packed.slice(sealEnd + 1)
  const seal = Buffer.from(packed.slice(0, sealEnd), 'hex')
  const values = splitPrinted(printed, readers[table].length)
  const row = parsedRow(table, values, seal)
  const sealed = textOf === undefined ? [printed] : [printed, separator, textOf(row as never)]
  if (!seals.holdsPrinted(table, sealed, seal)) throw new BrokenSeal(table, values[0]!)
  return row
}

/** With a separator in a text, which the service writes in none, later values are misplaced. */
const parsedRow = <T extends SealedTable>(
  table: T,
  values: readonly string[],
  seal: Buffer,
): Rows[T] => {
  const cells: Record<string, unknown> = { seal }
  try {
    for (const [i, [name, parse]] of readers[table].entries()) {
      // A later column that is null has not been printed.
      const value = values[i] ?? nullMark
      cells[name] = value === nullMark ? null : parse(value)
    }
  } catch {
    throw new BrokenSeal(table, values[0]!, 'the row cannot be read')
  }
  return cells as unknown as Rows[T]
}
