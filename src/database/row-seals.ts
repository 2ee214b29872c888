/**
 * Seals of rows (docs/decisions/0052): an HMAC-SHA256, cut to 128 bits, over every column that
 * decides or answers something, under a key that the database never sees. A column that is changed
 * in the database is noticed when its row is loaded next.
 *
 * A seal covers what PostgreSQL prints for the columns, so a reader who has them packed into one
 * text (packed-columns.ts) checks that text as it is.
 */
import assert from 'node:assert/strict'
import { hmacSha256, storedMacBytes } from '../core/hmac.ts'
import { columns } from './columns.ts'
import { separator } from './packed-columns.ts'
import type { Rows } from './rows.ts'

/** What a seal leaves out, and why a false value there decides nothing. */
export const unsealedColumns = {
  documents: {
    a_id: 'generated from the parties',
    b_id: 'generated from the parties',
    lapses_after: 'generated from status and valid_until, which the task that reads it checks',
    integrity_hold: 'set after a seal has failed, which it does without the hold as well',
  },
} as const satisfies { [T in keyof Rows]?: { [C in keyof Rows[T]]?: string } }

export type SealedTable = keyof typeof unsealedColumns

export interface RowSeals {
  /** The row with its seal, if its table has seals. */
  seal<R extends object>(table: keyof Rows, row: R): R
  /** Whether the columns of the row are those that were sealed; true in a table without seals. */
  holds(table: keyof Rows, row: object): boolean
  /** The same of a row that PostgreSQL has printed, by `sealedColumns`. */
  holdsPrinted(table: SealedTable, printed: string, seal: Buffer): boolean
}

/** A row is not as the service wrote it: somebody has changed it in the database. */
export class BrokenSeal extends Error {
  override name = 'BrokenSeal'
  readonly table: keyof Rows
  readonly id: string
  constructor(table: keyof Rows, id: string) {
    super(`${table} ${id}: the seal does not match`)
    this.table = table
    this.id = id
  }
}

/** A long text comes last, so that a reader need not copy it between the other columns. */
const longColumn = 'content'

const sealedColumnsOf = (table: SealedTable): string[] => {
  const unsealed: object = unsealedColumns[table]
  const names = Object.keys(columns[table]).filter((name) => name !== 'seal' && !(name in unsealed))
  return names.toSorted((a, b) => Number(a === longColumn) - Number(b === longColumn))
}

/** The columns of each table in the order in which its seal covers them. */
export const sealedColumns = Object.fromEntries(
  (Object.keys(unsealedColumns) as SealedTable[]).map((table) => [table, sealedColumnsOf(table)]),
) as unknown as Readonly<Record<SealedTable, readonly string[]>>

type Print = (value: never) => string

/** '2026-11-21T01:40:00.120Z' → '2026-11-21 01:40:00.12+00' */
const printTimestamp = (value: string): string => {
  const fraction = value.slice(19, 23).replace(/\.?0+$/, '')
  return `${value.slice(0, 10)} ${value.slice(11, 19)}${fraction}+00`
}

const printers: Readonly<Record<string, Print>> = {
  boolean: (value: boolean) => (value ? 't' : 'f'),
  bytea: (value: Buffer) => `\\x${value.toString('hex')}`,
  timestamptz: printTimestamp,
}

const sealedPrinters = Object.fromEntries(
  Object.entries(sealedColumns).map(([table, names]) => {
    const types = columns[table as SealedTable] as Readonly<Record<string, string>>
    return [
      table,
      names.map((name) => [name, printers[types[name]!.replace('?', '')] ?? String] as const),
    ]
  }),
) as unknown as Record<SealedTable, readonly (readonly [string, Print])[]>

/** Null is printed as nothing, as in packed columns. */
const printedRow = (table: SealedTable, row: object): string => {
  const printers = sealedPrinters[table]
  let printed = ''
  for (let i = 0; i < printers.length; i += 1) {
    const [name, print] = printers[i]!
    const value = (row as Readonly<Record<string, unknown>>)[name]
    if (i > 0) printed += separator
    if (value !== null) printed += print(value as never)
  }
  return printed
}

/** With a separator in a value, another row could have the same printed form. */
const printedForSeal = (table: SealedTable, row: object): string => {
  const printed = printedRow(table, row)
  const values = printed.split(separator).length
  assert.equal(values, sealedColumns[table].length, `no value of ${table} contains a separator`)
  return printed
}

interface Sealed {
  seal: Buffer
}

const isSealed = (table: keyof Rows): table is SealedTable => table in unsealedColumns

export const openRowSeals = (key: Buffer): RowSeals => {
  const macOf = (table: SealedTable, printed: string): Buffer =>
    hmacSha256(key, `${table}${separator}${printed}`).subarray(0, storedMacBytes)
  const holdsPrinted = (table: SealedTable, printed: string, seal: Buffer): boolean =>
    macOf(table, printed).equals(seal)
  return {
    seal: (table, row) =>
      isSealed(table) ? { ...row, seal: macOf(table, printedForSeal(table, row)) } : row,
    holds: (table, row) =>
      !isSealed(table) || holdsPrinted(table, printedRow(table, row), (row as Sealed).seal),
    holdsPrinted,
  }
}
