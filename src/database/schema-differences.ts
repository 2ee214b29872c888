/**
 * What of the migrations a database no longer has as they made it: indexes, constraints, triggers
 * and functions. What operators have added beside them is nobody's business here.
 */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Queryable, sql } from './sql.ts'

/** By kind and name; the values are digests of the definitions. */
export type SchemaObjects = Readonly<Record<string, string>>

/** Generated from the migrations. */
export const schemaObjectsFile = new URL('../../sql/objects.json', import.meta.url)

export interface SchemaDifferences {
  missing: string[]
  changed: string[]
}

/** Missing and changed objects of a database, in the order of their names. */
export const schemaDifferences = async (db: Queryable): Promise<SchemaDifferences> => {
  const made = JSON.parse(await readFile(schemaObjectsFile, 'utf8')) as SchemaObjects
  const present = await schemaObjectsOf(db)
  const names = Object.keys(made)
  return {
    missing: names.filter((name) => present[name] === undefined),
    changed: names.filter((name) => present[name] !== undefined && present[name] !== made[name]),
  }
}

/**
 * All of a database, with what PostgreSQL says of them. Partitions are made as their tables are. A
 * constraint that makes an index is that index; PostgreSQL 18 has a constraint for each `not null`.
 */
export const schemaObjectsOf = async (db: Queryable): Promise<SchemaObjects> => {
  const rows = await db.rows<{ name: string; definition: string }>(sql`
    select 'index ' || c.relname as name, pg_get_indexdef(c.oid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and not exists (select from pg_constraint k
        where k.conindid = c.oid and k.contype in ('p', 'u', 'x'))
    union all
    select 'constraint ' || t.relname || '.' || k.conname, pg_get_constraintdef(k.oid)
    from pg_constraint k join pg_class t on t.oid = k.conrelid
    where k.connamespace = 'public'::regnamespace and k.contype in ('c', 'f', 'p', 'u', 'x')
      and k.conparentid = 0 and not t.relispartition
    union all
    select 'trigger ' || t.relname || '.' || g.tgname,
      pg_get_triggerdef(g.oid) || ' ' || g.tgenabled::text
    from pg_trigger g join pg_class t on t.oid = g.tgrelid
    where t.relnamespace = 'public'::regnamespace and not g.tgisinternal and not t.relispartition
    union all
    select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
      concat_ws(' ', pg_get_function_result(p.oid), l.lanname, p.provolatile, p.prosecdef,
        p.proconfig::text, p.prosrc)
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    order by name`)
  const digests = rows.map(({ name, definition }) => [name, digestOf(definition)] as const)
  return Object.fromEntries(digests)
}

const digestOf = (definition: string): string => hash('sha256', definition).slice(0, 12)
