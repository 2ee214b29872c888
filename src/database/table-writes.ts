/**
 * Writes many rows at a time: one statement per table, one array per column. The statement texts
 * are built from the generated column catalogue, so no table needs SQL of its own.
 */
import { type SqlQuery, type Queryable, raw, sql } from './sql.ts'
import { type ColumnType, type ColumnValue, columnArray } from './binary-arrays.ts'
import { columns } from './columns.ts'
import type { Rows } from './rows.ts'

/**
 * Tables that are written by whole rows. The others have an array column, for which PostgreSQL has
 * no array of arrays, or search words, which PostgreSQL builds.
 */
export type WritableTable = Exclude<keyof Rows, 'keys' | 'search_entries' | 'webhook_endpoints'>

/** Columns that the database fills in. */
const generatedColumns: Partial<Record<WritableTable, readonly string[]>> = {
  documents: ['a_id', 'b_id', 'lapses_after'],
  log_queue: ['id'],
  log_refused: ['refused_at'],
}

export type NewRow<T extends WritableTable> = Omit<
  Rows[T],
  | (T extends 'documents' ? 'a_id' | 'b_id' | 'lapses_after' | 'seal' : never)
  | (T extends 'log_queue' ? 'id' : never)
  | (T extends 'log_refused' ? 'refused_at' : never)
>

/** The types of all columns by table, without the mark of nullable ones. */
const columnTypes = Object.fromEntries(
  Object.entries(columns).map(([table, types]) => [
    table,
    Object.fromEntries(
      Object.entries(types).map(([name, type]) => [name, type.replace('?', '') as ColumnType]),
    ),
  ]),
)

const typesOf = (table: WritableTable): Record<string, ColumnType> => columnTypes[table]!

const insertStatements = new Map<WritableTable, { names: string[]; texts: string[] }>()

const insertStatementOf = (table: WritableTable): { names: string[]; texts: string[] } => {
  let text = insertStatements.get(table)
  if (text === undefined) {
    const types = typesOf(table)
    const names = Object.keys(types).filter((name) => !generatedColumns[table]?.includes(name))
    const texts = names.map((_, i) => (i === 0 ? '' : `::${types[names[i - 1]!]}[], `))
    texts[0] = `insert into ${table} (${names.join(', ')}) select * from unnest(`
    texts.push(`::${types[names.at(-1)!]}[])`)
    text = { names, texts }
    insertStatements.set(table, text)
  }
  return text
}

const columnOf = (rows: readonly object[], name: string, type: ColumnType): Buffer => {
  const values = rows.map((row) => (row as Record<string, ColumnValue | undefined>)[name] ?? null)
  return columnArray(type, values)
}

export const insertRows = <T extends WritableTable>(
  db: Queryable,
  table: T,
  rows: readonly NewRow<T>[],
): Promise<number> => {
  const { names, texts } = insertStatementOf(table)
  const types = typesOf(table)
  return db.run({ texts, values: names.map((name) => columnOf(rows, name, types[name]!)) })
}

/** Rows as the table `u` of a statement: one array for each of these columns. */
export const unnest = <N extends string>(
  rows: readonly Readonly<Record<NoInfer<N>, ColumnValue | undefined>>[],
  types: Readonly<Record<N, ColumnType>>,
): SqlQuery => {
  const columns = Object.entries<ColumnType>(types)
  const texts = columns.map((_, i) => (i === 0 ? 'unnest(' : `::${columns[i - 1]![1]}[], `))
  texts.push(`::${columns.at(-1)![1]}[]) u (${Object.keys(types).join(', ')})`)
  return { texts, values: columns.map(([name, type]) => columnOf(rows, name, type)) }
}

/**
 * Updates the columns `set` of the rows identified by `key` and returns how many rows exist.
 * Callers must not pass two rows with the same key: PostgreSQL would silently apply either of them.
 */
export const updateRows = (
  db: Queryable,
  table: WritableTable,
  key: readonly string[],
  set: readonly string[],
  rows: readonly object[],
): Promise<number> => {
  const types = typesOf(table)
  const named = Object.fromEntries([...key, ...set].map((name) => [name, types[name]!]))
  const assigned = raw(set.map((name) => `${name} = u.${name}`).join(', '))
  const condition = raw(key.map((name) => `t.${name} = u.${name}`).join(' and '))
  const given = unnest(rows as readonly Record<string, ColumnValue>[], named)
  return db.run(sql`update ${raw(table)} t set ${assigned} from ${given} where ${condition}`)
}

/** All columns of a table as a select list, in the catalogue's order. */
export const selectList = (table: WritableTable, alias: string): SqlQuery =>
  raw(
    Object.keys(columns[table])
      .map((name) => `${alias}.${name}`)
      .join(', '),
  )
