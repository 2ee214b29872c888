/**
 * Seeds any number of mixed documents by set-based SQL: every type of the API, in several states,
 * with the list rows of both sides and the search index. The first pair has half of them.
 */
import { type Connection, sql } from '../src/database/sql.ts'
import { limits } from '../src/contract/limits.ts'
import { amountWord } from '../src/core/documents/search-amounts.ts'
import { type Seeded, pairs, seedPairs } from './seed.ts'
import { sealSeededRows } from './seal-rows.ts'

/**
 * Each document contains one of these words. The first pair's documents contain those at even
 * indexes, all other documents those at odd ones.
 */
export const words = [
  'oak',
  'birch',
  'walnut',
  'maple',
  'cedar',
  'pine',
  'ash',
  'elm',
  'larch',
  'beech',
  'brass',
  'copper',
  'steel',
  'iron',
  'zinc',
  'tin',
  'silver',
  'bronze',
  'nickel',
  'lead',
  'linen',
  'cotton',
  'wool',
  'silk',
  'hemp',
  'jute',
  'felt',
  'canvas',
  'velvet',
  'denim',
]

/** The SQL replaces these by each document's own word and reference. */
const placeholders = { word: '@word@', reference: '@reference@' }

/** The service stores a draft of this body, whose content becomes the template of all others. */
export const sampleBody = {
  line_items: [
    {
      description: `Consulting about ${placeholders.word}`,
      quantity: 2.5,
      unit_price: 19.99,
      tax_rate: 0.08,
    },
    { description: 'Delivery', quantity: 1, unit_price: 45, tax_rate: 0 },
  ],
  external_refs: { issuer_ref: placeholders.reference },
  notes: 'Thank you for your business.',
}

const documentStates = `(values
  (0, 'invoice', 'submitted'), (1, 'invoice', 'approved'), (2, 'invoice', 'draft'),
  (3, 'quote', 'sent'), (4, 'purchase_order', 'accepted'), (5, 'invoice', 'paid'),
  (6, 'contract', 'accepted'), (7, 'delivery_note', 'acknowledged'), (8, 'invoice', 'disputed'),
  (9, 'statement', 'sent'), (10, 'goods_receipt', 'sent'), (11, 'invoice', 'rejected'))
  s (i, type, status)`

/** Documents per statement, so that PostgreSQL never holds all of them at once. */
const chunk = 10_000

export const seedScale = async (
  db: Connection,
  { count, ...template }: { count: number; content: string; total: bigint },
): Promise<Seeded> => {
  const seeded = await seedPairs(db)
  await db.script('set synchronous_commit = off')
  for (let from = 1; from <= count; from += chunk) {
    const to = Math.min(from + chunk - 1, count)
    await seedDocuments(db, { ...template, count, from, to })
    await seedViews(db, from, to)
    await seedSearchEntries(db, template.total, { from, to })
  }
  await db.run(sql`update organization_counters set feed = ${count}, seal = ''`)
  await db.run(sql`
    insert into search_progress select organization_id, feed, feed from organization_counters`)
  await sealSeededRows(db)
  await db.script('analyze')
  return seeded
}

interface SeedRange {
  count: number
  from: number
  to: number
  content: string
  total: bigint
}

const seedDocuments = (
  db: Connection,
  { count, from, to, content, total }: SeedRange,
): Promise<number> =>
  db.run(sql`
    insert into documents (id, mode, connection_id, issuer_id, counterparty_id, type, status, origin,
      revision, issuer_number, counterparty_number, currency, document_date, document_date_given,
      due_date, terms_form, total, content, issuer_events, issuer_position, counterparty_position,
      stream_salt, head_seq, head_hash, issued_at, created_at, updated_at, seal)
    select md5('document' || n)::uuid, 'test', md5('connection' || p)::uuid,
      md5('issuer' || p)::uuid, md5('counterparty' || p)::uuid, type, status, 'api', 1,
      'OLD-' || n, case when status <> 'draft' then 'OWN-' || n end, 'USD',
      date '2026-11-21' - n % 700, false, date '2026-12-21' - n % 700, 'text', ${total},
      replace(replace(${content}, ${placeholders.word}, (${words}::text[])[1 + n % ${words.length}]),
        ${placeholders.reference}, 'SO-2026-' || n),
      1, n, case when status <> 'draft' then n end, '\\x00', 0, '\\x00',
      case when status <> 'draft' then at end, at, at, ''
    from (select n, at, type, status, case when n % 2 = 0 then 1 else 2 + (n / 2) % ${pairs - 1} end p
          from (select n, timestamptz '2026-11-21' - (${count} - n) * interval '1 second' as at
                from generate_series(${from}::int, ${to}::int) n) d
          join ${statesSql} on i = n % 12) d
    order by n`)

const seedViews = (db: Connection, from: number, to: number): Promise<number> =>
  db.run(sql`
    insert into document_views (organization_id, position, document_id, side, number, type, status,
      connection_id, document_date, updated_at, currency, due_date)
    select issuer_id, issuer_position, id, 'issuer', issuer_number, type, status, connection_id,
      document_date, updated_at, currency, due_date from documents ${rowsOf(from, to)}
    union all
    select counterparty_id, counterparty_position, id, 'counterparty', counterparty_number, type,
      status, connection_id, document_date, updated_at, currency, due_date from documents ${rowsOf(from, to)}
      and issued_at is not null`)

/** Selects by id, because no index covers positions. */
const rowsOf = (from: number, to: number) => sql`where id in
  (select md5('document' || n)::uuid from generate_series(${from}::int, ${to}::int) n)`

const statesSql = { texts: [documentStates], values: [] }

/** Writes the rows that tasks/index-search.ts would write, for words without accents. */
const seedSearchEntries = (
  db: Connection,
  total: bigint,
  { from, to }: { from: number; to: number },
): Promise<number> =>
  db.run(sql`
    insert into search_entries (organization_id, position, words)
    select v.organization_id, v.position, array_to_tsvector(array(
      select b.name || w from unnest(string_to_array(
        'consulting about ' || (${words}::text[])[1 + v.position % ${words.length}] ||
        ' delivery thank you for your business bench 1 so 2026 old ' || v.position ||
        ' #so2026' || v.position || ' 2026' || v.position || ' #old' || v.position || case v.side when 'issuer'
        then ' counterparty' else ' issuer own #own' || v.position end, ' ') || ${amountWord('document', total, 'USD')}::text) w))
    from document_views v cross join lateral (select left(translate(encode(sha256(convert_to(
      v.organization_id || ' ' || v.position / ${limits.searchBucketPositions}, 'UTF8')), 'base64'),
      '+/', '-_'), 6) as name) b
    where v.organization_id in (select id from organizations)
      and v.position between ${from} and ${to}`)
