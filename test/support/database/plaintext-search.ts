/** Searches every table for a text that must not be stored. */
import { type Queryable, raw, sql } from '../../../src/database/sql.ts'

/** The tables in which any column holds the text, as plain text, in hex or in base64. */
export const tablesContaining = async (database: Queryable, text: string): Promise<string[]> => {
  const tables = await database.rows<{ name: string }>(sql`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`)
  const forms = ['utf8', 'hex', 'base64'].map((form) =>
    Buffer.from(text)
      .toString(form as BufferEncoding)
      .replace(/[=]+$/, ''),
  )
  const matches: string[] = []
  for (const { name } of tables) {
    const rows = await database.rows(sql`
      select 1 from ${raw(`"${name}"`)} t
      where exists (select from unnest(${forms}::text[]) form
                    where strpos(to_jsonb(t)::text, form) > 0)
      limit 1`)
    if (rows.length > 0) matches.push(name)
  }
  return matches
}
