/** Statements of a hostile hand in the database, for any table with seals. */
import { columns } from '../../../src/database/columns.ts'
import type { SealedTable } from '../../../src/database/row-seals.ts'
import { type Connection, raw, sql } from '../../../src/database/sql.ts'

export const countOf = async (database: Connection, table: SealedTable): Promise<number> => {
  const [row] = await database.rows<{ count: bigint }>(
    sql`select count(*) as count from ${raw(table)}`,
  )
  return Number(row!.count)
}

export const primaryKeyOf = async (database: Connection, table: SealedTable): Promise<string[]> => {
  const rows = await database.rows<{ name: string }>(sql`
    select attname::text as name from pg_index join pg_attribute on attrelid = indrelid
    where indrelid = ${table}::text::regclass and indisprimary and attnum = any(indkey)`)
  return rows.map(({ name }) => name)
}

export const storedColumnsOf = async (database: Connection, table: string): Promise<string[]> => {
  const rows = await database.rows<{ name: string }>(sql`
    select column_name::text as name from information_schema.columns
    where table_name = ${table} and table_schema = 'public' and is_generated = 'NEVER'`)
  return rows.map(({ name }) => name)
}

/** Every row keeps its primary key, and takes all the rest from its neighbour. */
export const exchangeRows = async (database: Connection, table: SealedTable): Promise<string> => {
  const keys = await primaryKeyOf(database, table)
  const names = await storedColumnsOf(database, table)
  const exchanged = names.map((name) => `${keys.includes(name) ? 'mine' : 'theirs'}.${name}`)
  return `with numbered as (
      select *, row_number() over (order by ${keys.join()}) as place, count(*) over () as rows
      from ${table})
    select ${exchanged.join()} into temp exchanged from numbered mine
    join numbered theirs on theirs.place = mine.place % mine.rows + 1;
    delete from ${table};
    insert into ${table} (${names.join()}) select * from exchanged on conflict do nothing;
    drop table exchanged`
}

const otherKeys: Readonly<Record<string, (name: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  bytea: (name) => `sha256(${name})`,
  bigint: (name) => `${name} + 1000`,
  integer: (name) => `${name} + 1000`,
  boolean: (name) => `not ${name}`,
  text: (name) => `${name} || 'x'`,
}

/** Every row once more, with another value in one column of its primary key. */
export const copyRows = async (
  database: Connection,
  table: SealedTable,
  key: string,
): Promise<string> => {
  const names = await storedColumnsOf(database, table)
  const type = (columns[table] as Record<string, string>)[key]!
  const other = otherKeys[type]?.(key) ?? key
  const copied = names.map((name) => (name === key ? other : name))
  return `insert into ${table} (${names.join()}) select ${copied.join()} from ${table}
    on conflict do nothing`
}

export const deleteRow = (table: SealedTable, place: number): string =>
  `delete from ${table} where ctid =
    (select ctid from ${table} order by ctid offset ${place} limit 1)`

/** Without the triggers that keep tables append-only. */
export const asSuperuser = (database: Connection, statements: string): Promise<void> =>
  database.script(`set session_replication_role = replica; ${statements};
    set session_replication_role = default`)

/**
 * Changes the table, runs the check, and puts back every row, and what was put on hold for it. The
 * check may be another one, of another table.
 */
export const whileTampered = async (
  database: Connection,
  table: string,
  statements: string,
  check: () => Promise<void>,
): Promise<void> => {
  const backup = `backup_of_${table}`
  await asSuperuser(database, `create temp table ${backup} as select * from ${table}`)
  try {
    await asSuperuser(database, statements)
    await check()
  } finally {
    const names = (await storedColumnsOf(database, table)).join()
    await asSuperuser(
      database,
      `delete from ${table};
      insert into ${table} (${names}) select ${names} from ${backup};
      drop table ${backup};
      update documents set integrity_hold = false where integrity_hold`,
    )
  }
}
