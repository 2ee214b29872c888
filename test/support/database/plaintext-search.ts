/** Searches every table for a text that must not be stored. */
import assert from 'node:assert/strict'
import { fullText, knownText } from '../../../src/core/compact-text.ts'
import { bodyText } from '../../../src/core/provenance/history-event.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { type Queryable, raw, sql } from '../../../src/database/sql.ts'
import {
  type StoredBody,
  type ShownDocument,
  eventText,
  responseText,
  shownDocument,
} from '../../../src/store/documents/stored-texts.ts'

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

/** Of a stored text: the document may be gone whose content it leaves out. */
interface Shown {
  document_id: string | null
}

/** Stored texts that are compressed, with their tables, as readers see them. */
const compactTexts = async (database: Queryable): Promise<{ name: string; full: string }[]> => {
  const events = await database.rows<Rows['events'] & ShownDocument>(sql`
    select e.id, e.created_at, e.payload, e.document_id, ${shownDocument('e')}
    from events e left join documents d on d.id = e.document_id`)
  const responses = await database.rows<StoredBody & Shown>(sql`
    select i.body, i.is_encrypted, i.document_id, ${shownDocument('i')}
    from idempotency i left join documents d on d.id = i.document_id where not i.is_encrypted`)
  const bodies = await database.rows<{ body: Buffer }>(sql`
    select body from prov_event, unnest(array[shared_body, issuer_body, counterparty_body]) body
    where body is not null`)
  return [
    ...events.flatMap((event) =>
      (event.content === null
        ? textsWithoutDocument(event.payload, event.document_id, event)
        : [eventText(event)]
      ).map((full) => ({ name: 'events', full })),
    ),
    ...responses.flatMap((response) =>
      (response.content === null && response.document_id !== null
        ? textsWithoutDocument(response.body, response.document_id)
        : [responseText(response)]
      ).map((full) => ({ name: 'idempotency', full })),
    ),
    ...bodies.map(({ body }) => ({ name: 'prov_event', full: bodyText(body) })),
  ]
}

/** The lengths that a document's number may have. */
const numberLengths = Array.from({ length: 24 }, (_, i) => i + 1)
const unknownId = '00000000-0000-0000-0000-000000000000'

/**
 * What a stored text may say whose document is gone. Of what it repeats of the document, only the
 * length of the number matters: with another one, what it takes from the dictionary is moved, and
 * at a shorter one it may not be there.
 */
const textsWithoutDocument = (
  stored: Buffer,
  id: string,
  event?: { id: string; created_at: string },
): string[] => {
  const document = {
    id,
    connection_id: unknownId,
    issuer_id: unknownId,
    counterparty_id: unknownId,
    created_at: '0000-00-00T00:00:00.000Z',
  }
  const texts = numberLengths.flatMap((length) => {
    try {
      const known = knownText({ ...document, issuer_number: '0'.repeat(length) }, event)
      return [fullText(stored, '{}', known)]
    } catch {
      return []
    }
  })
  assert(texts.length > 0, 'a stored text is searched without its document')
  return texts
}
