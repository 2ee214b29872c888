/** Reads and changes sealed rows outside of the engine (docs/decisions/0052). */
import { limits } from '../contract/limits.ts'
import {
  BrokenSeal,
  type RowSeals,
  type Sealed,
  type SealedTable,
  type TextTable,
} from './row-seals.ts'
import { isOutage } from './outages.ts'
import type { Rows } from './rows.ts'
import { type Queryable, type SqlQuery, raw, sql } from './sql.ts'
import { selectList, updateRows } from './table-writes.ts'

/** The primary keys of the tables in which it is not `id`. */
const primaryKeys: Partial<Record<SealedTable, readonly string[]>> = {
  approval_rule_sets: ['organization_id'],
  audit_trails: ['organization_id'],
  clock_advances: ['organization_id', 'offset_seconds'],
  demo_loans: ['listing_id'],
  demo_scripts: ['document_id'],
  device_codes: ['hash'],
  finance_setups: ['organization_id'],
  memberships: ['user_id', 'organization_id'],
  organization_counters: ['organization_id'],
  organization_profiles: ['organization_id', 'digest'],
  practice: ['is_only'],
  processor_accounts: ['organization_id'],
  second_factors: ['user_id'],
  sign_in_links: ['hash'],
  user_preferences: ['user_id'],
}

const primaryKeyOf = (table: SealedTable): readonly string[] => primaryKeys[table] ?? ['id']

/** The columns of the primary key of `t`. */
const keyColumns = (table: SealedTable): SqlQuery =>
  raw(
    primaryKeyOf(table)
      .map((name) => `t.${name}`)
      .join(', '),
  )

/** Throws BrokenSeal if the row is not as it was sealed. */
const checkSeal = (seals: RowSeals, table: SealedTable, row: object): void => {
  if (seals.holds(table, row)) return
  throw brokenRow(table, row)
}

/**
 * The same for several rows, which have all columns, and perhaps more. None may be there twice: a
 * copy holds its seal like the row itself.
 */
export const checkedRows = <R extends object>(
  db: Queryable,
  table: SealedTable,
  rows: readonly R[],
): R[] => {
  for (const row of rows) checkSeal(db.seals, table, row)
  checkNoneTwice(table, rows)
  return [...rows]
}

/** Throws BrokenSeal if two of the rows of one answer have the same key. */
export const checkNoneTwice = (table: SealedTable, rows: readonly object[]): void => {
  const [copy] = copiedRows(table, rows)
  if (copy !== undefined) throw copy
}

/** An error for each row whose key an earlier one has. */
const copiedRows = (table: SealedTable, rows: readonly object[]): BrokenSeal[] => {
  if (rows.length < 2) return []
  const keys = rows.map((row) => keyText(table, row))
  if (new Set(keys).size === keys.length) return []
  const copies = keys.filter((key, i) => keys.indexOf(key) < i)
  return [...new Set(copies)].map((key) => new BrokenSeal(table, key, 'the row is there twice'))
}

/**
 * The rows `t` of the table, all columns; `rest` is what follows the FROM clause. Throws BrokenSeal
 * if one of them is not as it was sealed.
 */
export const sealedRows = async <T extends SealedTable>(
  db: Queryable,
  table: T,
  rest: SqlQuery,
): Promise<Rows[T][]> => {
  const rows = await db.rows<Rows[T]>(
    sql`select ${selectList(table, 't')} from ${raw(table)} t ${rest}`,
  )
  return checkedRows(db, table, rows)
}

/** The first such row. */
export const sealedRow = async <T extends SealedTable>(
  db: Queryable,
  table: T,
  rest: SqlQuery,
): Promise<Rows[T] | undefined> => (await sealedRows(db, table, rest))[0]

/**
 * The rows after this one, in the order of their key, whether their seals hold or not. There are
 * more than `limit` if the last key is there twice.
 */
export const rowsInOrder = async <T extends Exclude<SealedTable, TextTable>>(
  db: Queryable,
  table: T,
  { after, limit }: { after: Rows[T] | undefined; limit: number },
): Promise<Rows[T][]> => {
  return db.rows<Rows[T]>(sql`
    select ${selectList(table, 't')} from ${raw(table)} t
    where true ${after === undefined ? sql`` : rowsAfter(table, after)}
    order by ${keyColumns(table)} fetch first (${limit}) rows with ties`)
}

/** An error for each row that is not as it was sealed, that cannot be read, or is there twice. */
export const brokenRows = (
  { seals }: Queryable,
  table: SealedTable,
  rows: readonly object[],
): BrokenSeal[] => {
  const isIntact = (row: object): boolean => {
    try {
      return mayLackSeal(table, row) || seals.holds(table, row)
    } catch (error) {
      if (isOutage(error)) throw error
      return false
    }
  }
  const broken = rows.filter((row) => !isIntact(row)).map((row) => brokenRow(table, row))
  return [...broken, ...copiedRows(table, rows)]
}

/** No decision loads the accounts of rails; a file without a seal is kept for good (0183). */
const mayLackSeal = (table: SealedTable, row: object): boolean =>
  table === 'ledger_account'
    ? (row as Rows['ledger_account']).organization_id === null
    : table === 'pending_files' && (row as Sealed<Rows['pending_files']>).seal.length === 0

const brokenRow = (table: SealedTable, row: object): BrokenSeal =>
  new BrokenSeal(table, keyText(table, row))

/**
 * Locks the rows `t` to which the condition applies, changes and saves them with new seals; returns
 * them as they are then. Throws BrokenSeal, and saves nothing, if one of them is not as it was
 * sealed.
 */
export const changeSealedRows = async <T extends SealedTable>(
  tx: Queryable,
  table: T,
  condition: SqlQuery,
  change: (row: Rows[T]) => Partial<Rows[T]>,
): Promise<Rows[T][]> => {
  const key = primaryKeyOf(table)
  const rest = sql`where ${condition} order by ${keyColumns(table)} for no key update`
  const rows = await sealedRows(tx, table, rest)
  if (rows.length === 0) return []
  const changes = rows.map(change)
  const names = Object.keys(changes[0]!)
  const changed = rows.map((row, i): Rows[T] => ({ ...row, ...changes[i]! }))
  await updateRows(tx, table, { key, set: names, rows: changed })
  return changed
}

type RowChange<T extends SealedTable> = Partial<Rows[T]> | ((row: Rows[T]) => Partial<Rows[T]>)

/**
 * Locks the rows `t` to which the condition applies, and sets these columns in those that are as
 * they were sealed and to which `isCurrent` applies; returns how many. The others stay as they are,
 * since a new seal would make a false row credible.
 */
export const setInIntactRows = async <T extends SealedTable>(
  tx: Queryable,
  table: T,
  condition: SqlQuery,
  { isCurrent, set }: { isCurrent(row: Rows[T]): boolean; set: RowChange<T> },
): Promise<number> => {
  const key = primaryKeyOf(table)
  const rows = await tx.rows<Rows[T]>(sql`
    select ${selectList(table, 't')} from ${raw(table)} t
    where ${condition} order by ${keyColumns(table)} for no key update`)
  const intact = rows.filter((row) => tx.seals.holds(table, row) && isCurrent(row))
  if (intact.length === 0) return 0
  const changes = intact.map((row) => (typeof set === 'function' ? set(row) : set))
  const changed = intact.map((row, i) => ({ ...row, ...changes[i] }))
  return updateRows(tx, table, { key, set: Object.keys(changes[0]!), rows: changed })
}

/**
 * Whether the seal of a row names another generation than this one. The accounts of the rails have
 * no seal.
 */
export const isSealedUnderOther = (generation: number, alias = 't'): SqlQuery =>
  sql`${raw(alias)}.seal <> ''
    and substring(${raw(alias)}.seal from 2 for 1) <> ${Buffer.of(generation)}`

export interface ResealedRows {
  /** Rows that were locked elsewhere are not among them. */
  resealed: number
  /** The keys of rows that are not as they were sealed; they stay as they are. */
  broken: string[]
  /** Where the next round goes on; undefined after the last row. */
  after: SqlQuery | undefined
}

const rowsToReseal = 200

/**
 * Seals some rows of older generations anew, under the newest one, if their seals hold. It waits
 * for no lock, so that it can be part of no deadlock. `change` says what else becomes of a row.
 */
export const resealRows = async <T extends Exclude<SealedTable, TextTable>>(
  tx: Queryable,
  table: T,
  after: SqlQuery | undefined,
  change?: (row: Rows[T]) => Partial<Rows[T]> | undefined,
): Promise<ResealedRows> => {
  const key = primaryKeyOf(table)
  const others = isSealedUnderOther(tx.seals.generation!)
  const found = await tx.rows<Rows[T]>(sql`
    select ${selectList(table, 't')} from ${raw(table)} t
    where ${others} ${after ?? sql``}
    order by ${keyColumns(table)} limit ${rowsToReseal} for no key update skip locked`)
  const changed = found.map((row) => {
    const more = tx.seals.holds(table, row) ? (change?.(row) ?? {}) : undefined
    return more && { row: { ...row, ...more }, names: Object.keys(more) }
  })
  const kept = changed.filter((one) => one !== undefined)
  const rows = kept.map(({ row }) => row)
  if (rows.length > 0) await updateRows(tx, table, { key, set: kept[0]!.names, rows })
  return {
    resealed: rows.length,
    broken: found.filter((_, i) => changed[i] === undefined).map((row) => keyText(table, row)),
    after: found.length < rowsToReseal ? undefined : rowsAfter(table, found.at(-1)!),
  }
}

const keyText = (table: SealedTable, row: object): string =>
  primaryKeyOf(table)
    .map((name) => (row as Record<string, unknown>)[name])
    .map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
    .join(' ')

/** Follows a condition. */
const rowsAfter = (table: SealedTable, row: object): SqlQuery => {
  const key = primaryKeyOf(table)
  const values = key.map((name) => sql`${(row as Record<string, unknown>)[name]}`)
  return sql`and (${keyColumns(table)}) > (${values.reduce((all, next) => sql`${all}, ${next}`)})`
}

/**
 * Seals every row of a table as it is, under the newest key, unless its seal holds; returns how
 * many. It locks the rows that it reads. Those of text tables need their texts
 * (store/documents/stored-texts.ts).
 */
export const sealRows = async (
  tx: Queryable,
  table: Exclude<SealedTable, TextTable>,
): Promise<number> => {
  const key = primaryKeyOf(table)
  let count = 0
  let after = sql``
  for (;;) {
    const rows = await tx.rows<Rows[typeof table]>(sql`
      select ${selectList(table, 't')} from ${raw(table)} t where true ${after}
      order by ${keyColumns(table)} limit ${limits.sealedRowsPerRound} for no key update`)
    if (rows.length === 0) return count
    const broken = rows.filter((row) => !tx.seals.holds(table, row))
    if (broken.length > 0) count += await updateRows(tx, table, { key, set: [], rows: broken })
    after = rowsAfter(table, rows.at(-1)!)
  }
}
