/** Searches every table for a text that must not be stored. */
import { fullText } from '../../../src/core/compact-text.ts'
import { type Queryable, raw, sql } from '../../../src/database/sql.ts'

/** The tables in which any column holds the text, be it plain, compressed, in hex or in base64. */
export const tablesContaining = async (database: Queryable, text: string): Promise<string[]> => {
  const tables = await database.rows<{ name: string }>(sql`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
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
  for (const { name, stored } of await compactTexts(database)) {
    // Whatever content a text shows was searched as a text of its own.
    const full = fullText(stored, '{}')
    if (forms.some((form) => full.includes(form)) && !matches.includes(name)) matches.push(name)
  }
  return matches
}

/** Stored texts that are compressed, with their tables. */
const compactTexts = (database: Queryable): Promise<{ name: string; stored: Buffer }[]> =>
  database.rows(sql`
    select 'events' as name, payload as stored from events
    union all select 'idempotency', body from idempotency where not sealed
    union all select 'prov_event', body
    from prov_event, unnest(array[shared_body, issuer_body, counterparty_body]) body
    where body is not null`)
