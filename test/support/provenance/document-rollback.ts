/** Puts former rows of a document back with their seals, as a hostile hand would. */
import { sql } from '../../../src/database/sql.ts'
import type { TestService } from '../test-service.ts'

/** Tables with rows of a document, and the column that names it. */
export const documentTables = {
  documents: 'id',
  document_views: 'document_id',
  prov_event: 'document_id',
  log_leaf: 'document_id',
  log_queue: 'document_id',
  head_note: 'document_id',
  events: 'document_id',
  payments: 'document_id',
} as const

export type DocumentTable = keyof typeof documentTables

export interface OldRows {
  /** Replaces the document's present rows of these tables with those of that time. */
  putBack(tables: readonly DocumentTable[]): Promise<void>
}

export const oldRowsOf = async (
  { database }: Pick<TestService, 'database'>,
  id: string,
): Promise<OldRows> => {
  const tables = Object.entries(documentTables)
  const copies = new Map<string, string>()
  for (const [table, column] of tables) {
    const copy = `old_${table}_${id.replaceAll('-', '')}`
    copies.set(table, copy)
    await database.script(
      `create table ${copy} as select * from ${table} where ${column} = '${id}'`,
    )
  }
  const namesOf = async (table: string): Promise<string> => {
    const [row] = await database.rows<{ names: string }>(sql`
      select string_agg(column_name, ', ') as names from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`)
    return row!.names
  }
  return {
    putBack: async (chosen) => {
      const statements: string[] = []
      for (const table of chosen) {
        const names = await namesOf(table)
        const overriding = table === 'log_queue' ? 'overriding system value' : ''
        statements.push(`delete from ${table} where ${documentTables[table]} = '${id}';
          insert into ${table} (${names}) ${overriding} select ${names} from ${copies.get(table)!}`)
      }
      await database.script(`set session_replication_role = replica; ${statements.join(';')};
        set session_replication_role = default`)
    },
  }
}
