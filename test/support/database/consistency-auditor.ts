/**
 * Checks the invariants of a whole database while nothing writes. The auditor reads the tables and
 * shares only the encodings of ids, of stored texts and of histories with the service.
 */
import assert from 'node:assert/strict'
import { encodeId } from '../../../src/core/ids.ts'
import type { HistoryKeys } from '../../../src/core/provenance/history-keys.ts'
import { type Connection, type Queryable, sql } from '../../../src/database/sql.ts'
import { inSnapshot } from '../../../src/database/transactions.ts'
import type { Rows } from '../../../src/database/rows.ts'
import { assertLedger } from '../payments/ledger-auditor.ts'
import type { TestService } from '../test-service.ts'
import {
  type ShownDocument,
  responseText,
  shownDocument,
} from '../../../src/store/documents/stored-texts.ts'
import { endOfFeed } from '../../../src/store/documents/search-index.ts'
import { type StoredEvent, storedEvents } from '../webhooks/stored-events.ts'
import { historyViolations } from './history-auditor.ts'

type Document = Rows['documents']
type Violation = string

/**
 * Fails with the list of violations; `historyKeys` are the service's. All checks read one snapshot,
 * since what is due may be done meanwhile.
 */
export const assertConsistent = async (
  db: Connection,
  historyKeys?: HistoryKeys,
): Promise<void> => {
  const violations = await inSnapshot(db, (tx) => findViolations(tx, historyKeys))
  assert.deepEqual(violations, [])
}

/** Checks the database of a running service, and its whole ledger. */
export const assertServiceConsistent = async ({
  database,
  service,
}: Pick<TestService, 'database' | 'service'>): Promise<void> => {
  await assertLedger(database)
  await assertConsistent(database, service.context.keyring.history!)
}

/** In the transaction of the caller, if it has one. */
export const findViolations = async (
  db: Queryable,
  historyKeys?: HistoryKeys,
): Promise<Violation[]> => {
  const documents = await db.rows<Document>(sql`select * from documents order by id`)
  const parts = await Promise.all([
    numberViolations(db),
    feedViolations(db),
    viewViolations(db),
    eventViolations(db, documents),
    historyViolations(db, documents, historyKeys),
    responseViolations(db, documents),
    derivedCountViolations(db),
  ])
  return parts.flat().slice(0, 20)
}

const violationsIn = async (rows: Promise<{ what: string }[]>): Promise<Violation[]> =>
  (await rows).map(({ what }) => what)

/** The numbers of each organization and prefix run from 1 to the stored counter. */
const numberViolations = (db: Queryable): Promise<Violation[]> =>
  violationsIn(
    db.rows(sql`
      with used as (
        select organization_id, split_part(number, '-', 1) as prefix, count(*) as used,
               min(split_part(number, '-', 2)::int) as least,
               max(split_part(number, '-', 2)::int) as most
        from document_views group by 1, 2),
      counted as (
        select organization_id, key as prefix, value::int as counted
        from organization_counters, jsonb_each_text(numbers::jsonb))
      select format('numbers %s of %s: %s used from %s to %s, %s counted',
                    prefix, organization_id, used, least, most, counted) as what
      from used full join counted using (organization_id, prefix)
      where used is distinct from counted or least <> 1 or most is distinct from counted`),
  )

/** The feed of each organization has positions 1 to n without a gap, in order of time. */
const feedViolations = (db: Queryable): Promise<Violation[]> =>
  violationsIn(
    db.rows(sql`
      select format('feed of %s ends at %s with %s events', h.organization_id, h.feed, count(e.feed)) as what
      from organization_counters h join organizations o on o.id = h.organization_id
      left join events e on e.organization_id = h.organization_id
      group by h.organization_id, o.reset_position
      having h.feed - o.reset_position <> count(e.feed) or max(e.feed) <> h.feed
        or min(e.feed) <= o.reset_position or max(e.created_at) > h.changed_at
      union all
      select format('event %s of %s is older than the one before it', feed, organization_id)
      from (select *, lag(created_at) over (partition by organization_id order by feed) as before
            from events) e
      where created_at < before`),
  )

/** The issuer has a current list row, and so has the counterparty once a document is issued. */
const viewViolations = (db: Queryable): Promise<Violation[]> =>
  violationsIn(
    db.rows(sql`
      with expected as (
        select p.* from (
          select id, issuer_id organization_id, issuer_position position, 'issuer' side, issuer_number
            number, type, status, connection_id, document_date, updated_at, currency, due_date
          from documents
          union all
          select id, counterparty_id, counterparty_position, 'counterparty', counterparty_number,
                 type, status, connection_id, document_date, updated_at, currency, due_date
          from documents where issued_at is not null) p
        join organizations o on o.id = p.organization_id and p.position > o.reset_position),
      stored as (
        select document_id, organization_id, position, side, number, type, status, connection_id,
               document_date, updated_at, currency, due_date
        from document_views)
      select format('list row %s', x) as what from (select * from expected except select * from stored) x
      union all
      select format('list row without its document %s', x)
      from (select * from stored except select * from expected) x`),
  )

/** The events of each document and receiver have sequences 1 to n, in the receiver's projection. */
const eventViolations = async (db: Queryable, documents: Document[]): Promise<Violation[]> => {
  const violations: Violation[] = []
  const organizations = await db.rows<Rows['organizations']>(sql`select * from organizations`)
  const resetPositions = new Map(
    organizations.map(({ id, reset_position }) => [id, reset_position]),
  )
  const byId = new Map(documents.map((document) => [document.id, document]))
  const eventCounts = new Map<string, number>()
  for (const event of await storedEvents(db)) {
    const document = byId.get(event.document_id)
    if (document === undefined) {
      violations.push(`event ${event.id} of a document that does not exist`)
      continue
    }
    const key = `${event.document_id} ${event.organization_id}`
    eventCounts.set(key, (eventCounts.get(key) ?? 0) + 1)
    if (event.sequence !== eventCounts.get(key)) violations.push(`sequence of event ${event.id}`)
    violations.push(...payloadViolations(event, document))
  }
  for (const { id, issuer_id, counterparty_id, ...document } of documents) {
    const { issuer_position, counterparty_position } = document
    // A sandbox gets no events about the time before its reset.
    const isFrozen =
      issuer_position <= resetPositions.get(issuer_id)! ||
      (counterparty_position ?? endOfFeed) <= resetPositions.get(counterparty_id)!
    if (isFrozen) continue
    if ((eventCounts.get(`${id} ${issuer_id}`) ?? 0) !== document.issuer_events) {
      violations.push(`events of the issuer of ${id}`)
    }
    if ((eventCounts.get(`${id} ${counterparty_id}`) ?? 0) !== document.counterparty_events) {
      violations.push(`events of the counterparty of ${id}`)
    }
  }
  return violations
}

const payloadViolations = (event: StoredEvent, document: Document): Violation[] => {
  const { sequence, type, data, created_at } = JSON.parse(event.payload)
  const isIssuer = event.organization_id === document.issuer_id
  const shown = data.document
  const isRight =
    sequence === event.sequence &&
    type === event.type &&
    created_at === event.created_at &&
    shown.direction === (isIssuer ? 'issued' : 'received') &&
    shown.number === (isIssuer ? document.issuer_number : document.counterparty_number) &&
    'metadata' in shown === isIssuer &&
    (isIssuer || shown.status !== 'draft')
  return isRight ? [] : [`payload of event ${event.id}`]
}

/** A source's counters equal the count and amount of the active documents derived from it. */
const derivedCountViolations = (db: Queryable): Promise<Violation[]> =>
  violationsIn(
    db.rows(sql`
      with effects (source, derived, rel) as (values
        ('quote', 'purchase_order', 'converts'), ('quote', 'invoice', 'converts'),
        ('purchase_order', 'invoice', 'converts'), ('purchase_order', 'invoice', 'bills'),
        ('purchase_order', 'delivery_note', 'converts'), ('purchase_order', 'delivery_note', 'fulfils'),
        ('purchase_order', 'goods_receipt', 'converts'), ('purchase_order', 'goods_receipt', 'fulfils'),
        ('invoice', 'credit_note', 'credits')),
      active as (
        select distinct s.id as source, c.id,
          case when c.currency <> s.currency then 0
               when c.type = 'credit_note' then c.total
               when s.type = 'purchase_order' and c.type = 'invoice'
                 then round((c.content::jsonb ->> 'subtotal')::numeric * 100)
               else 0 end as amount
        from document_links l join documents s on s.id = l.to_id join documents c on c.id = l.from_id
        join effects e on (e.source, e.derived, e.rel) = (s.type, c.type, l.rel)
        where c.issued_at is not null and c.status not in ('rejected', 'cancelled')),
      counted as (
        select source, count(*) as derived_count, sum(amount) as derived_amount from active group by source)
      select format('%s %s counts %s and %s, not %s and %s', d.type, d.id, d.derived_count, d.derived_amount,
                    c.derived_count, c.derived_amount) as what
      from documents d left join counted c on c.source = d.id
      where d.derived_count <> coalesce(c.derived_count, 0) or d.derived_amount <> coalesce(c.derived_amount, 0)
      union all
      select format('references of %s', d.id)
      from documents d
      where jsonb_array_length(d.content::jsonb -> 'references')
        <> (select count(*) from document_links l where l.from_id = d.id
            and l.rel not in ('disbursed_by', 'repaid_by', 'secured_by'))`),
  )

/** A stored response names an existing document that has at least its revision. */
const responseViolations = async (db: Queryable, documents: Document[]): Promise<Violation[]> => {
  const revisions = new Map(documents.map(({ id, revision }) => [id, revision]))
  const responses = await db.rows<Rows['idempotency'] & ShownDocument>(sql`
    select i.*, ${shownDocument('i')}
    from idempotency i left join documents d on d.id = i.document_id
    where i.document_id is not null`)
  return responses
    .filter(({ document_id, revision, ...response }) => {
      const current = revisions.get(document_id!)
      if (current === undefined || current < revision!) return true
      if (response.resource_id !== null) return false
      const shown = JSON.parse(responseText(response))
      return shown.id !== encodeId('doc', document_id!) || shown.revision !== revision
    })
    .map(({ document_id }) => `stored response about ${document_id}`)
}
