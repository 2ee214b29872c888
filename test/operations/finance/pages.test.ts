/**
 * Lists of listings, offers and agreements at size (contract 6): a page costs the same at any depth
 * and in a large table, counted in the pages that PostgreSQL reads. `LONG=1` has 10⁵ rows.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeId } from '../../../src/core/ids.ts'
import { type Queryable, type SqlQuery, sql } from '../../../src/database/sql.ts'
import { agreementsPage } from '../../../src/store/finance/agreements.ts'
import type { FinancePage } from '../../../src/store/finance/finance-pages.ts'
import { listingsPage, listingsToEnd, nearTwinCounts } from '../../../src/store/finance/listings.ts'
import { offersPage } from '../../../src/store/finance/offers.ts'
import { loanParties, loansClient } from '../../support/finance/loans.ts'
import { allPages, eachPage } from '../../support/http/all-pages.ts'
import { startTestService } from '../../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const { database } = running
const loans = loansClient(running)
const parties = await loanParties(running)
const { borrower, lender } = parties
const count = process.env['LONG'] === '1' ? 100_000 : 8_000

type Plans = [{ Plan: Record<string, number> }]

/** Plans and runs each query, answers nothing, and counts the pages read. */
const counting = () => {
  let read = 0
  const explain = async (query: SqlQuery): Promise<never[]> => {
    const [row] = await database.rows<{ 'QUERY PLAN': string }>(
      sql`explain (analyze, buffers, timing off, format json) ${query}`,
    )
    const [{ Plan: top }] = JSON.parse(row!['QUERY PLAN']) as Plans
    read += top['Shared Hit Blocks']! + top['Shared Read Blocks']!
    return []
  }
  const counted: Queryable = {
    seals: database.seals,
    rows: (query) => explain(query),
    row: async (query) => (await explain(query))[0],
    run: async (query) => (await explain(query)).length,
  }
  return { counted, pagesRead: () => read }
}

/** Rows per statement: on a busy machine, all of them take minutes. */
const chunk = 10_000

/** Copies the listing, its offer and its agreement; older than it, since ids are time-ordered. */
const seed = async (): Promise<string[]> => {
  const { offer_id, listing_id, id } = (await loans.accepted(parties)).agreement
  const older = sql`((substr(encode(int8send(
    (extract(epoch from timestamptz '2026-01-01') * 1000)::bigint + i), 'hex'), 5)
    || '7000' || lpad(to_hex(32768 + i % 4096), 4, '0') || lpad(to_hex(i), 12, '0'))::uuid)`
  await database.script('set session_replication_role = replica')
  for (let from = 1; from <= count; from += chunk) {
    const copies = sql`generate_series(${from}::bigint, ${Math.min(from + chunk - 1, count)}) i`
    await database.run(sql`
      insert into finance_listings select (jsonb_populate_record(l, jsonb_build_object(
        'id', ${older}, 'status', (array['matched', 'withdrawn', 'expired', 'open'])[1 + i % 4],
        'document_id', ${older}, 'invoice_total', 1000000 + i, 'reference', 'R' || i))).*
      from finance_listings l, ${copies} where l.id = ${decodeId('lst', listing_id)!}`)
    await database.run(sql`
      insert into finance_offers select (jsonb_populate_record(o, jsonb_build_object(
        'id', ${older}, 'listing_id', ${older}, 'status', 'declined'))).*
      from finance_offers o, ${copies} where o.id = ${decodeId('ofr', offer_id)!}`)
    await database.run(sql`
      insert into finance_agreements select (jsonb_populate_record(a, jsonb_build_object(
        'id', ${older}, 'offer_id', ${older}, 'status', 'closed', 'closed_at', now(),
        'closed_reason', 'repaid', 'due_at', null))).*
      from finance_agreements a, ${copies} where a.id = ${decodeId('agr', id)!}`)
  }
  await database.script('set session_replication_role = origin; analyze')
  const ids = await database.rows<{ id: string }>(sql`
    select id from finance_listings order by id limit 1 offset ${count / 2}`)
  return ids.map((row) => row.id)
}

const [middle] = await seed()

const page = (more: Partial<FinancePage>): FinancePage => ({
  organization: borrower.uuid,
  roles: ['borrower', 'lender'],
  before: undefined,
  limit: 21,
  ...more,
})

const costOf = async (read: (db: Queryable) => Promise<unknown>): Promise<number> => {
  const { counted, pagesRead } = counting()
  await read(counted)
  return pagesRead()
}

const lists = { listings: listingsPage, offers: offersPage, agreements: agreementsPage } as const

const statuses = {
  listings: ['withdrawn', 'invalidated'],
  offers: ['declined', 'open'],
  agreements: ['closed', 'flagged'],
} as const

describe(`contract 6: among ${count} rows`, () => {
  for (const [name, read] of Object.entries(lists)) {
    for (const [filter, more] of Object.entries({
      'without a filter': {},
      'by a frequent and a rare status': { statuses: statuses[name as keyof typeof lists] },
      'as the lender': { organization: lender.uuid, roles: ['lender'] },
    } as Record<string, Partial<FinancePage>>)) {
      test(`a page of ${name} ${filter} costs the same at any depth`, async () => {
        const first = await costOf((db) => read(db, page(more)))
        const deep = await costOf((db) => read(db, page({ ...more, before: middle! })))
        const most = 21 * 12
        assert(first <= most && deep <= most, `${first} pages, then ${deep}`)
      })
    }
  }

  test('listings that end are looked up by index, and the open ones cost nothing', async () => {
    for (const wanted of [{}, { organizations: [borrower.uuid] }]) {
      const cost = await costOf((db) => listingsToEnd(db, { limit: 1_000, ...wanted }))
      assert(cost <= 30, `${cost} pages`)
    }
  })

  test('near twins are looked up by index', async () => {
    const ids = await database.rows<{ id: string }>(sql`
      select id from finance_listings where id < ${middle!} order by id desc limit 20`)
    const cost = await costOf((db) =>
      nearTwinCounts(
        db,
        ids.map(({ id }) => id),
      ),
    )
    assert(cost <= 20 * 60, `${cost} pages`)
  })
})

test('contract 6: cursors walk everything once, and updated_since finds what has changed', async () => {
  const walked = await loanParties(running)
  const made: string[] = []
  for (let i = 0; i < 7; i += 1) made.unshift((await loans.offered(walked)).id)
  for (const [list, length] of [
    ['offers', 7],
    ['listings', 7],
  ] as const) {
    for (const { key } of [walked.borrower, walked.lender]) {
      const rows: { id: string }[] = []
      for await (const { data } of eachPage(running, key, `/v1/finance/${list}?limit=2`)) {
        assert(data.length <= 2)
        rows.push(...data)
      }
      assert.equal(new Set(rows.map(({ id }) => id)).size, length, list)
      if (list === 'offers')
        assert.deepEqual(
          rows.map(({ id }) => id),
          made,
        )
    }
  }
  const [newest] = made
  const declined = await loans.posted(walked.borrower.key, `/v1/finance/offers/${newest}/decline`)
  const since = encodeURIComponent(declined.updated_at)
  const changed = await allPages(
    running,
    walked.lender.key,
    `/v1/finance/offers?updated_since=${since}&limit=1`,
  )
  assert.deepEqual(
    changed.map(({ id }) => id),
    [newest],
  )
})
