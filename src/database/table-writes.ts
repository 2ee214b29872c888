/**
 * Writes rows, many at a time: one statement per table, one array per column. The statement texts
 * are built from the generated column catalogue, so no table needs SQL of its own.
 *
 * Whatever is written to a sealed table passes through here and gets its seal.
 */
import { type SqlQuery, type Queryable, raw, sql } from './sql.ts'
import { type ColumnType, type ColumnValue, columnArray } from './binary-arrays.ts'
import { columns } from './columns.ts'
import { UnwrittenRows, type WithText, isSealed } from './row-seals.ts'
import type { Rows } from './rows.ts'

/** Tables that are written by rows. PostgreSQL builds the words of the others itself. */
export type WritableTable = Exclude<keyof Rows, 'search_entries'>

/** Columns that the database fills in. */
const generatedColumns: Partial<Record<WritableTable, readonly string[]>> = {
  documents: ['a_id', 'b_id', 'lapses_after'],
  log_queue: ['id'],
  log_refused: ['refused_at'],
}

export type NewRow<T extends keyof Rows> = Omit<
  Rows[T],
  | (T extends 'documents' ? 'a_id' | 'b_id' | 'lapses_after' : never)
  | (T extends 'log_queue' ? 'id' : never)
  | (T extends 'log_refused' ? 'refused_at' : never)
> &
  WithText<T>

/** Beside the rows, since copying each of them costs more. */
const sealsOf = (
  db: Queryable,
  table: keyof Rows,
  rows: readonly object[],
): readonly Buffer[] | undefined =>
  isSealed(table) ? rows.map((row) => db.seals.sealOf(table, row)) : undefined

type CatalogueType = ColumnType | 'text[]'

/** The types of all columns by table, without the mark of nullable ones. */
const columnTypes = Object.fromEntries(
  Object.entries(columns).map(([table, types]) => [
    table,
    Object.fromEntries(
      Object.entries(types).map(([name, type]) => [name, type.replace('?', '') as CatalogueType]),
    ),
  ]),
)

const typesOf = (table: WritableTable): Record<string, CatalogueType> => columnTypes[table]!

/** PostgreSQL has no array of arrays, so an array travels as JSON. */
const travelType = (type: CatalogueType): ColumnType => (type === 'text[]' ? 'text' : type)

const valueOf = (name: string, type: CatalogueType): string =>
  type === 'text[]' ? `array(select json_array_elements_text(u.${name}::json))` : `u.${name}`

const unnestTexts = (names: readonly string[], types: Readonly<Record<string, CatalogueType>>) => {
  const cast = (name: string) => `::${travelType(types[name]!)}[]`
  const texts = names.map((_, i) => (i === 0 ? 'unnest(' : `${cast(names[i - 1]!)}, `))
  return [...texts, `${cast(names.at(-1)!)}) u (${names.join(', ')})`]
}

const insertStatements = new Map<WritableTable, { names: string[]; texts: string[] }>()

const insertStatementOf = (table: WritableTable): { names: string[]; texts: string[] } => {
  let statement = insertStatements.get(table)
  if (statement === undefined) {
    const types = typesOf(table)
    const names = Object.keys(types).filter((name) => !generatedColumns[table]?.includes(name))
    const texts = unnestTexts(names, types)
    const values = names.map((name) => valueOf(name, types[name]!))
    texts[0] = `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${texts[0]}`
    statement = { names, texts }
    insertStatements.set(table, statement)
  }
  return statement
}

const columnOf = (
  rows: readonly object[],
  name: string,
  type: CatalogueType,
  seals?: readonly Buffer[],
): Buffer => {
  if (name === 'seal' && seals !== undefined) return columnArray('bytea', seals)
  const values = rows.map((row) => (row as Record<string, ColumnValue | undefined>)[name] ?? null)
  if (type !== 'text[]') return columnArray(type, values)
  return columnArray(
    'text',
    values.map((value) => JSON.stringify(value)),
  )
}

/**
 * Inserts the rows, in a transaction. A rule or a trigger that is not ours may swallow them: then
 * it throws UnwrittenRows, and nothing is committed.
 */
export const insertRows = async <T extends WritableTable>(
  db: Queryable,
  table: T,
  rows: readonly NewRow<T>[],
): Promise<number> => {
  const inserted = await sendNewRows(db, table, rows)
  if (inserted !== rows.length) throw new UnwrittenRows(table, inTransaction)
  return inserted
}

const inTransaction = 'of a transaction'

/** `onConflict` ends the statement; returns how many rows are new, which the caller checks. */
export const sendNewRows = <T extends WritableTable>(
  db: Queryable,
  table: T,
  rows: readonly NewRow<T>[],
  onConflict?: SqlQuery,
): Promise<number> => {
  const { names, texts } = insertStatementOf(table)
  const types = typesOf(table)
  const seals = sealsOf(db, table, rows)
  const insert = { texts, values: names.map((name) => columnOf(rows, name, types[name]!, seals)) }
  return db.run(onConflict === undefined ? insert : sql`${insert} ${onConflict}`)
}

/** Rows as the table `u` of a statement: one array for each of these columns. */
export const unnest = <N extends string>(
  rows: readonly Readonly<Record<NoInfer<N>, ColumnValue | undefined>>[],
  types: Readonly<Record<N, CatalogueType>>,
  seals?: readonly Buffer[],
): SqlQuery => {
  const columns = Object.entries<CatalogueType>(types)
  const texts = unnestTexts(Object.keys(types), types)
  return { texts, values: columns.map(([name, type]) => columnOf(rows, name, type, seals)) }
}

export interface RowUpdate {
  /** The columns that identify a row. */
  key: readonly string[]
  /** The columns that change, apart from the seal; none to seal the rows anew. */
  set: readonly string[]
  /**
   * Those of a sealed table are given as a whole, since a seal covers all of a row. No two have the
   * same key: PostgreSQL would silently apply either of them.
   */
  rows: readonly object[]
}

/**
 * Updates rows that all exist and are locked. Those of a sealed table have their new seals then: a
 * trigger may leave a row as it was. Throws UnwrittenRows otherwise.
 */
export const updateRows = async (
  db: Queryable,
  table: WritableTable,
  changes: RowUpdate,
): Promise<number> => {
  const { rows } = changes
  const { update, seals } = updateOf(db, table, changes)
  const written =
    seals === undefined
      ? await db.run(update)
      : (await db.rows<{ seal: Buffer }>(sql`${update} returning t.seal`)).filter(hasOneOf(seals))
          .length
  if (written !== rows.length) throw new UnwrittenRows(table, inTransaction)
  return written
}

const hasOneOf = (seals: readonly Buffer[]): ((row: { seal: Buffer }) => boolean) => {
  const texts = new Set(seals.map((seal) => seal.toString('latin1')))
  return ({ seal }) => texts.has(seal.toString('latin1'))
}

/** The same for rows of which some may be gone; returns how many exist. */
export const sendUpdates = (
  db: Queryable,
  table: WritableTable,
  changes: RowUpdate,
): Promise<number> => db.run(updateOf(db, table, changes).update)

const updateOf = (db: Queryable, table: WritableTable, { key, set, rows }: RowUpdate) => {
  const types = typesOf(table)
  const written = isSealed(table) ? [...set.filter((name) => name !== 'seal'), 'seal'] : set
  const named = Object.fromEntries([...key, ...written].map((name) => [name, types[name]!]))
  const assigned = raw(written.map((name) => `${name} = ${valueOf(name, types[name]!)}`).join(', '))
  const condition = raw(key.map((name) => `t.${name} = u.${name}`).join(' and '))
  const seals = sealsOf(db, table, rows)
  const given = unnest(rows as readonly Record<string, ColumnValue>[], named, seals)
  // A join alone reads a whole table that had few rows when PostgreSQL planned it (0268).
  const byKey = key.length === 1 ? sql`and t.${raw(key[0]!)} = any(${given.values[0]})` : sql``
  const update = sql`
    update ${raw(table)} t set ${assigned} from ${given} where ${condition} ${byKey}`
  return { update, seals }
}

/** Deletes the one row `t` to which the condition applies; throws UnwrittenRows if it stays. */
export const deleteRow = async (
  tx: Queryable,
  table: WritableTable,
  condition: SqlQuery,
): Promise<void> => {
  const deleted = await tx.run(sql`delete from ${raw(table)} t where ${condition}`)
  if (deleted !== 1) throw new UnwrittenRows(table, inTransaction)
}

/** All columns of a table as a select list, in the catalogue's order. */
export const selectList = (table: keyof Rows, alias: string): SqlQuery =>
  raw(
    Object.keys(columns[table])
      .map((name) => `${alias}.${name}`)
      .join(', '),
  )

/** The rows of a table, named `t` in the condition. Whoever believes them checks their seals. */
export const rowsWhere = <T extends keyof Rows>(
  db: Queryable,
  table: T,
  condition: SqlQuery,
): Promise<Rows[T][]> =>
  db.rows(sql`select ${selectList(table, 't')} from ${raw(table)} t where ${condition}`)
