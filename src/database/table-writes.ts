/**
 * Whole rows, many at a time: one statement per table, one array per column. The texts are built
 * once per table and set of columns from the generated catalogue, so no table has SQL of its own.
 */
import { type Query, type Session, raw } from './sql.ts'
import { type ColumnType, type ColumnValue, columnArray } from './binary-arrays.ts'
import { type Rows, columns } from './rows.ts'

/**
 * Tables that are written whole rows at a time; arrays of arrays do not exist in PostgreSQL, and
 * search words are made by it.
 */
export type Table = Exclude<keyof Rows, 'keys' | 'search_entries' | 'webhook_endpoints'>

/** Columns that the database makes by itself. */
const madeByTheDatabase: Partial<Record<Table, readonly string[]>> = {
  documents: ['a_id', 'b_id', 'is_over'],
  log_queue: ['id'],
}

export type NewRow<T extends Table> = Omit<
  Rows[T],
  T extends 'documents' ? 'a_id' | 'b_id' | 'guard' : T extends 'log_queue' ? 'id' : never
> &
  // Put on by whoever writes the row.
  (T extends 'documents' ? { guard?: Buffer | null } : unknown)

const insertTexts = new Map<Table, { names: string[]; texts: string[] }>()

const insertText = (table: Table): { names: string[]; texts: string[] } => {
  let text = insertTexts.get(table)
  if (text === undefined) {
    const types: Record<string, ColumnType> = columns[table]
    const names = Object.keys(types).filter((name) => !madeByTheDatabase[table]?.includes(name))
    const texts = names.map((_, i) => (i === 0 ? '' : `::${types[names[i - 1]!]}[], `))
    texts[0] = `insert into ${table} (${names.join(', ')}) select * from unnest(`
    texts.push(`::${types[names.at(-1)!]}[])`)
    text = { names, texts }
    insertTexts.set(table, text)
  }
  return text
}

const columnOf = (table: Table, name: string, rows: readonly object[]): Buffer =>
  columnArray(
    (columns[table] as Record<string, ColumnType>)[name]!,
    rows.map((row) => (row as Record<string, ColumnValue | undefined>)[name] ?? null),
  )

export const insertRows = <T extends Table>(
  session: Session,
  table: T,
  rows: readonly NewRow<T>[],
): Promise<number> => {
  const { names, texts } = insertText(table)
  return session.run({ texts, values: names.map((name) => columnOf(table, name, rows)) })
}

/**
 * Sets `set` of every row found by `key`; rows that are not there are not counted. Two rows with
 * one key would be one too many: PostgreSQL keeps either of them silently, so callers coalesce
 * first.
 */
export const updateRows = (
  session: Session,
  table: Table,
  key: readonly string[],
  set: readonly string[],
  rows: readonly object[],
): Promise<number> => {
  const types = columns[table] as Record<string, ColumnType>
  const names = [...key, ...set]
  const assigned = set.map((name) => `${name} = u.${name}`).join(', ')
  const found = key.map((name) => `t.${name} = u.${name}`).join(' and ')
  const texts = names.map((_, i) => (i === 0 ? '' : `::${types[names[i - 1]!]}[], `))
  texts[0] = `update ${table} t set ${assigned} from unnest(`
  texts.push(`::${types[names.at(-1)!]}[]) u (${names.join(', ')}) where ${found}`)
  const query: Query = { texts, values: names.map((name) => columnOf(table, name, rows)) }
  return session.run(query)
}

/** The columns of a table for a select list, in the catalogue's order. */
export const selectList = (table: Table, alias: string): Query =>
  raw(
    Object.keys(columns[table])
      .map((name) => `${alias}.${name}`)
      .join(', '),
  )
