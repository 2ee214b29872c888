/** Searches every table for a text that must not be stored. */
import { bodyText } from '../../../src/core/provenance/history-event.ts'
import { type Queryable, raw, sql } from '../../../src/database/sql.ts'
import {
  type StoredBody,
  responseText,
  shownDocument,
} from '../../../src/store/documents/stored-texts.ts'
import { storedEvents } from '../webhooks/stored-events.ts'

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
  for (const { name, full } of await compactTexts(database)) {
    if (forms.some((form) => full.includes(form)) && !matches.includes(name)) matches.push(name)
  }
  return matches
}

/** Stored texts that are compressed, with their tables, as readers see them. */
const compactTexts = async (database: Queryable): Promise<{ name: string; full: string }[]> => {
  const events = await storedEvents(database)
  const responses = await database.rows<StoredBody>(sql`
    select i.body, ${shownDocument('i')}
    from idempotency i left join documents d on d.id = i.document_id where not i.sealed`)
  const bodies = await database.rows<{ body: Buffer }>(sql`
    select body from prov_event, unnest(array[shared_body, issuer_body, counterparty_body]) body
    where body is not null`)
  return [
    ...events.map(({ payload }) => ({ name: 'events', full: payload })),
    ...responses.map((response) => ({ name: 'idempotency', full: responseText(response) })),
    ...bodies.map(({ body }) => ({ name: 'prov_event', full: bodyText(body) })),
  ]
}
