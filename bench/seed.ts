/**
 * Seeds pairs of organizations with keys, and documents, each by one set-based statement. An id is
 * the md5 of a name, so that pgbench scripts can compute it, too.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mintKey } from '../src/core/identity/credentials.ts'
import { type Connection, sql } from '../src/database/sql.ts'
import { sealSeededRows } from './seal-rows.ts'

export const pairs = 64
export const readableDocuments = 10_000
/** Additional documents of the first pair's issuer, enough for a thousand pages of 20. */
const firstPairDocuments = 21_000

export const idOf = (name: string): string => {
  const hex = createHash('md5').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export interface Seeded {
  /** The issuers' keys, by pair. */
  keys: string[]
}

export const seed = async (db: Connection, content: string): Promise<Seeded> => {
  const seeded = await seedPairs(db)
  const now = new Date().toISOString()
  await seedDocuments(db, { count: readableDocuments, deep: firstPairDocuments, content, now })
  return seeded
}

/**
 * Connected pairs of organizations, with a key for each issuer of the first half. The other half is
 * for pgbench, whose writes seal no rows.
 */
export const seedPairs = async (db: Connection): Promise<Seeded> => {
  const now = new Date().toISOString()
  const admin = idOf('admin')
  await db.run(
    sql`insert into users (id, email, name, created_at, seal) values (${admin}, 'bench@example.com', 'Bench', ${now}, '')`,
  )
  await db.run(sql`
    insert into organizations (id, mode, name, verified_at, created_at, seal)
    select md5(side || n)::uuid, 'test', 'Bench ' || side || ' ' || n, ${now}, ${now}, ''
    from generate_series(1, ${2 * pairs}) n, unnest(array['issuer', 'counterparty']) side`)
  await db.run(sql`
    insert into organization_counters (organization_id, changed_at, feed, seal)
    select id, ${now}, ${1_000_000n}, '' from organizations`)
  await db.run(sql`
    insert into connections (id, mode, a_id, b_id, invited_by, status, default_payment_terms, currency, created_at, updated_at, seal)
    select md5('connection' || n)::uuid, 'test', least(i, c), greatest(i, c), i, 'active', 'Net 30', 'USD', ${now}, ${now}, ''
    from (select n, md5('issuer' || n)::uuid i, md5('counterparty' || n)::uuid c from generate_series(1, ${2 * pairs}) n) p`)
  const keys = Array.from({ length: pairs }, () => mintKey('test', randomBytes(64)))
  for (const [i, key] of keys.entries()) {
    await db.run(sql`
      insert into keys (id, organization_id, mode, name, hash, prefix, scopes, root_id, created_by, created_at, seal)
      values (${idOf(`key${i}`)}, ${idOf(`issuer${i + 1}`)}, 'test', 'bench', ${db.seals.credentialMac(key.key)}, ${key.prefix},
        ${['documents:read', 'documents:write', 'provenance:read']}, ${idOf(`key${i}`)}, ${admin}, ${now}, '')`)
  }
  await sealSeededRows(db)
  return { keys: keys.map((key) => key.key) }
}

interface SeedOptions {
  count: number
  deep: number
  content: string
  now: string
}

/**
 * Documents 1…count rotate through the pairs; the deep ones all belong to the first pair. They have
 * no history and are therefore on hold, so that the auditor raises no alarm.
 */
const seedDocuments = async (db: Connection, { count, deep, content, now }: SeedOptions) => {
  await db.run(sql`
    insert into documents (id, mode, connection_id, issuer_id, counterparty_id, type, status, origin, revision,
      issuer_number, currency, document_date, document_date_given, due_date, terms_form, total, content,
      issuer_events, issuer_position, stream_salt, head_seq, head_hash, integrity_hold, created_at, updated_at,
      seal)
    select md5('document' || n)::uuid, 'test', md5('connection' || p)::uuid, md5('issuer' || p)::uuid,
      md5('counterparty' || p)::uuid, 'invoice', 'draft', 'api', 1, 'OLD-' || n, 'USD', '2026-11-21', false,
      '2026-12-21', 'text', 53950, ${content}, 1, n, '\\x00', 0, '\\x00', true, ${now}, ${now}, ''
    from (select n, case when n > ${count} then 1 else 1 + n % ${pairs} end p
          from generate_series(1, ${count + deep}::int) n) d`)
  await db.run(sql`
    insert into document_views (organization_id, position, document_id, side, number, type, status,
      connection_id, document_date, updated_at, currency, due_date)
    select issuer_id, issuer_position, id, 'issuer', issuer_number, type, status, connection_id,
      document_date, updated_at, currency, due_date from documents`)
  await sealSeededRows(db)
  await db.script('analyze')
}
