/**
 * Seals of rows (docs/decisions/0052): an HMAC-SHA256, cut to 128 bits, over every column that
 * decides or answers something, under a key that the database never sees. A column that is changed
 * in the database is noticed when its row is loaded next.
 *
 * A seal covers what PostgreSQL prints for the columns, so a reader who has them packed into one
 * text (packed-rows.ts) checks that text as it is.
 */
import assert from 'node:assert/strict'
import { ServerKeys } from '../core/server-keys.ts'
import { hmacSha256, storedMac } from '../core/hmac.ts'
import { columns } from './columns.ts'
import { type PrintedForm, printedForm } from './printed-forms.ts'
import type { Queryable } from './sql.ts'
import type { Rows } from './rows.ts'
import { unsealedColumns } from './unsealed-columns.ts'

type Columns = typeof columns

export type SealedTable = {
  [T in keyof Columns]: Columns[T] extends { seal: 'bytea' } ? T : never
}[keyof Columns]

/** A row as it is stored. */
export type Sealed<R> = R & { seal: Buffer }

export interface RowSeals {
  /** The seal of a row that is about to be written. Every sealed column must be given. */
  sealOf(table: SealedTable, row: object): Buffer
  /** The row with its seal. */
  seal<R extends object>(table: SealedTable, row: R): Sealed<R>
  /** Whether the columns of the row are those that were sealed; true in a table without seals. */
  holds(table: keyof Rows, row: object): boolean
  /** The same for a row that PostgreSQL has printed, by `sealedColumns`, in parts. */
  holdsPrinted(table: SealedTable, printed: readonly string[], seal: Buffer): boolean
  /**
   * What is stored of a key, a token or a link: nobody without the server key can make one up. It
   * begins with the generation of its key.
   */
  credentialMac(credential: string): Buffer
  /** The same, followed by those under other generations that are accepted. */
  credentialMacs(credential: string): Buffer[]
  /** How many generations are accepted. */
  readonly acceptedCount: number
  /** The generation that seals; undefined on a connection that handles no sealed row. */
  readonly generation: number | undefined
  /**
   * Asks the database for the generations of the server key; returns whether something has changed
   * since. Seals may hold then that did not before.
   */
  renew(db: Queryable): Promise<boolean>
}

/** The keys of a proof: what was proven under other keys is proven again. */
export const acceptedKeys = ({ generation, acceptedCount }: RowSeals): string =>
  `${generation} of ${acceptedCount}`

/** A row is not as the service wrote it last: somebody has changed it in the database. */
export class BrokenSeal extends Error {
  override name = 'BrokenSeal'
  readonly table: keyof Rows
  readonly id: string
  constructor(table: keyof Rows, id: string, reason = 'the seal does not match') {
    super(`${table} ${id}: ${reason}`)
    this.table = table
    this.id = id
  }
}

/** Its seal holds, but the service has written the row again since. */
export const oldRow = (table: keyof Rows, id: string): BrokenSeal =>
  new BrokenSeal(table, id, 'an old row has come back')

/** Something says that the row is there, and the service has not deleted it. */
export const missingRow = (table: keyof Rows, id: string): BrokenSeal =>
  new BrokenSeal(table, id, 'the row is gone')

/**
 * The table lacks rows that were written, of a batch that is committed or of a transaction that is
 * rolled back then. All rows exist and were locked, so a rule or a trigger that is not ours has
 * kept them from being written.
 */
export class UnwrittenRows extends BrokenSeal {
  override name = 'UnwrittenRows'
  constructor(table: keyof Rows, of: 'of a batch' | 'of a transaction') {
    super(table, of, 'not every row was written')
  }
}

/** The value, or the broken seal: in a batch of look-ups, it fails the one that met it. */
export const orBrokenSeal = <T>(read: () => T): T | BrokenSeal => {
  try {
    return read()
  } catch (error) {
    if (error instanceof BrokenSeal) return error
    throw error
  }
}

/** Separates the printed values, and stands for null. No value contains either. */
export const separator = '\u001f'
export const nullMark = '\u001e'
/** No value prints like this. */
const otherTypeMark = `${nullMark}${nullMark}`

/** A long text comes last, so that nobody need copy it between the other columns. */
const longColumn = 'content'

export const isSealed = (table: keyof Rows): table is SealedTable => 'seal' in columns[table]

/**
 * Columns that were added after rows had been sealed. A seal covers such a column unless it is
 * null, as in every row of before. It is the last one of its table, and what precedes it is no
 * text, so that nothing else prints the same.
 */
const laterColumns: Readonly<Partial<Record<SealedTable, string>>> = {
  approval_rule_sets: 'version',
  approvals: 'version',
  clock_advances: 'target_seconds',
  connection_invitations: 'version',
  connections: 'version',
  finance_listings: 'open_offers',
  finance_setups: 'version',
  organizations: 'row_versions',
  processor_accounts: 'version',
  second_factors: 'passkeys',
  users: 'second_factor_since',
  webhook_endpoints: 'version',
}

/** Whether a seal covers the column only where it is not null. */
export const isLaterColumn = (table: SealedTable, name: string): boolean =>
  laterColumns[table] === name

/**
 * Tables with a column in the form of core/compact-text.ts. In its place, the seal covers the text
 * that it stands for, and with it whatever else that text is put together from. That of a response
 * also covers its header `Svc-Event`, which other rows say.
 */
const derivedColumns = { events: ['text'], idempotency: ['receipt', 'text'] } as const satisfies {
  [T in SealedTable]?: readonly string[]
}

export type TextTable = keyof typeof derivedColumns

export const textTables = Object.keys(derivedColumns) as TextTable[]

export const isTextTable = (table: keyof Rows): table is TextTable => table in derivedColumns

/** In parts, a text need not be copied to be sealed. */
type SealedText = string | readonly string[]

/** What must be given of a row of a text table beside its columns. */
export type WithText<T> = T extends 'idempotency'
  ? { text: SealedText; receipt: string | null }
  : T extends TextTable
    ? { text: SealedText }
    : unknown

const sealedColumnsOf = (table: SealedTable): string[] => {
  const unsealed: object = (unsealedColumns as Partial<Record<SealedTable, object>>)[table] ?? {}
  const names = Object.keys(columns[table]).filter((name) => name !== 'seal' && !(name in unsealed))
  if (isTextTable(table)) return [...names, ...derivedColumns[table]]
  return names.toSorted((a, b) => Number(a === longColumn) - Number(b === longColumn))
}

/** The columns that a seal covers and that are stored. */
export const storedSealedColumns = (table: SealedTable): readonly string[] =>
  sealedColumns[table].filter((name) => name in columns[table])

/** What the seal of each table covers, in this order. */
export const sealedColumns = Object.fromEntries(
  (Object.keys(columns) as (keyof Rows)[])
    .filter(isSealed)
    .map((table) => [table, sealedColumnsOf(table)]),
) as unknown as Readonly<Record<SealedTable, readonly string[]>>

export const sealedTables = Object.keys(sealedColumns) as SealedTable[]

/** Those whose rows can be sealed from their columns alone. */
export const textlessTables = sealedTables.filter((table) => !isTextTable(table)) as Exclude<
  SealedTable,
  TextTable
>[]

interface SealedColumn extends PrintedForm {
  name: string
  isLater: boolean
}

const columnsToPrint = Object.fromEntries(
  Object.entries(sealedColumns).map(([table, names]) => {
    const types = columns[table as SealedTable] as Readonly<Record<string, string>>
    return [
      table,
      names.map((name): SealedColumn => {
        const type = types[name]?.replace('?', '') ?? 'text'
        const isLater = isLaterColumn(table as SealedTable, name)
        return { name, ...printedForm(type), isLater }
      }),
    ]
  }),
) as unknown as Record<SealedTable, readonly SealedColumn[]>

/**
 * The sealed columns as PostgreSQL prints them, in parts: those before the last one, which may be
 * long, and the parts of the last one.
 */
const printedRow = (table: SealedTable, row: object, isNew = false): readonly string[] => {
  const cells = row as Readonly<Record<string, unknown>>
  let others = ''
  let last = ''
  const printedColumns = columnsToPrint[table]
  for (let i = 0; i < printedColumns.length; i += 1) {
    const { name, print, valueType, isLater } = printedColumns[i]!
    const value = cells[name]
    if (value === undefined) assert.fail(`${table}.${name} is not given`)
    if (isLater && value === null) continue
    if (i > 0) others += last + separator
    if (name === 'text' && Array.isArray(value)) {
      if (isNew) for (const part of value as string[]) refuseSeparator(table, part)
      return [others, ...(value as string[])]
    }
    if (value === null) last = nullMark
    // A column of another type, such as numeric for bigint, prints the same and computes otherwise.
    else if (!isNew && typeof value !== valueType) last = otherTypeMark
    else if (typeof value === 'string' && print === String) last = value
    else last = print(value as never)
    if (isNew && typeof value === 'string') refuseSeparator(table, last)
  }
  return [others, last]
}

/** With a separator in a value, another row could have the same printed form. */
const refuseSeparator = (table: SealedTable, value: string): void => {
  if (value.includes(separator)) assert.fail(`a value of ${table} contains a separator`)
}

/** A seal begins with the version of its column list and the number of its key. */
const listVersion = 1
const headerBytes = 2

/** What a seal covers before the columns. */
const prefixOf = Object.fromEntries(
  sealedTables.map((table) => [table, `${table}${separator}`]),
) as Readonly<Record<SealedTable, string>>

/** Seals under the newest of the keys, and accepts any of them. */
export const openRowSeals = (
  keys: ServerKeys,
  renew: RowSeals['renew'] = async () => false,
): RowSeals => {
  const holds = (table: SealedTable, printed: readonly string[], seal: Buffer): boolean => {
    const key = keys.isComplete ? keys.of(seal[1]!) : keys.newest
    if (seal[0] !== listVersion || key === undefined) return false
    return storedMac(key, [prefixOf[table], ...printed], seal.subarray(0, headerBytes)).equals(seal)
  }
  const sealOf = (table: SealedTable, row: object): Buffer => {
    const parts = [prefixOf[table], ...printedRow(table, row, true)]
    return storedMac(keys.newest, parts, [listVersion, keys.generation])
  }
  return {
    sealOf,
    seal: (table, row) => ({ ...row, seal: sealOf(table, row) }),
    holds: (table, row) =>
      !isSealed(table) || holds(table, printedRow(table, row), (row as Sealed<object>).seal),
    holdsPrinted: holds,
    credentialMac: (credential) => credentialMac(keys.generation, keys.newest, credential),
    credentialMacs: (credential) =>
      keys.all().map(([generation, key]) => credentialMac(generation, key, credential)),
    get acceptedCount() {
      return keys.count
    },
    get generation() {
      return keys.generation
    },
    renew,
  }
}

const credentialMac = (generation: number, key: Buffer, credential: string): Buffer =>
  Buffer.concat([Buffer.of(generation), hmacSha256(key, `credential${separator}${credential}`)])

/** For connections that handle no sealed row: migrations, start, tests. */
export const withoutSeals: RowSeals = {
  sealOf: (table) => assert.fail(`a row of ${table} needs the server key`),
  seal: (table) => assert.fail(`a row of ${table} needs the server key`),
  holds: (table) => !isSealed(table) || assert.fail(`a row of ${table} needs the server key`),
  holdsPrinted: (table) => assert.fail(`a row of ${table} needs the server key`),
  credentialMac: () => assert.fail('a credential needs the server key'),
  credentialMacs: () => assert.fail('a credential needs the server key'),
  acceptedCount: 0,
  generation: undefined,
  renew: async () => false,
}
