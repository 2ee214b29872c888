/** Change times and feeds in commit order: what makes a sweep and the events complete. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Connection, inTransaction, sql } from '../../src/database/sql.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import {
  type Pair,
  type TestService,
  aDraft,
  aPair,
  anInvoice,
  callApi,
  move,
  startTestService,
  until,
} from '../support/service.ts'
import { openConnection } from '../support/database/example-writes.ts'

const one = await startTestService()
const two = await one.startAnother()
const services = [one, two] as const
const foreign = await openConnection(one.databaseUrl)

/** Writers create, issue and move documents as fast as they can; again and again they stall. */
const whileWriting = async (pair: Pair, look: () => Promise<unknown>): Promise<void> => {
  let written = 0
  let isOver = false
  const writers = Array.from({ length: 6 }, async (_, i) => {
    const service = services[i % 2]!
    for (; !isOver; written += 1) {
      const { id } = await anInvoice(service, pair)
      await move(service, pair.counterparty.key, id, 'approved')
      await aDraft(service, pair)
    }
  })
  const looks = async () => {
    for (let round = 0; round < 10; round += 1) {
      await stallWriters(foreign, look)
      for (const enough = written + 6; written < enough;) await look()
    }
  }
  // A writer that fails ends the test at once, and says why.
  await Promise.race([looks(), Promise.all(writers)]).finally(() => (isOver = true))
  await Promise.all(writers)
}

/** Writers have drawn their times and positions, and cannot write them down until this ends. */
const stallWriters = async (
  db: Connection,
  whileStalled: () => Promise<unknown>,
): Promise<void> => {
  const waiting = sql`select from pg_stat_activity where datname = current_database()
    and application_name like 'docex lane%' and wait_event_type = 'Lock'`
  await inTransaction(db, async () => {
    await db.run(sql`lock table prov_event in share mode`)
    await until('a writer waits', async () => (await one.database.rows(waiting)).length > 0)
    await whileStalled()
  })
}

/** What a client that sweeps remembers: documents by revision, and where the next sweep starts. */
interface SweepState {
  key: string
  since: string
  revisions: Map<string, number>
}

/** One walk over all pages; it goes on from the latest change that its first page showed. */
const sweep = async (running: TestService, swept: SweepState): Promise<void> => {
  let cursor: string | null = null
  let next: string | undefined
  const walked = new Set<string>()
  do {
    const query = new URLSearchParams({ updated_since: swept.since, limit: '25' })
    if (cursor !== null) query.set('cursor', cursor)
    const { status, body, text } = await callApi(running, 'GET', `/v1/documents?${query}`, {
      key: swept.key,
    })
    assert.equal(status, 200, text)
    for (const { id, revision, updated_at } of body.data) {
      assert(!walked.has(id), 'pages are disjoint')
      walked.add(id)
      swept.revisions.set(id, Math.max(revision, swept.revisions.get(id) ?? 0))
      assert(updated_at >= swept.since)
    }
    next ??=
      body.data
        .map((document: { updated_at: string }) => document.updated_at)
        .toSorted()
        .at(-1) ?? swept.since
    cursor = body.next_cursor
  } while (cursor !== null)
  swept.since = next!
}

describe('contract 6: updated_since', () => {
  test('sweeps of both sides during long writers lose nothing', async () => {
    const pair = await aPair(one)
    const sweeps: SweepState[] = [pair.issuer, pair.counterparty].map(({ key }) => ({
      key,
      since: '2000-01-01T00:00:00.000Z',
      revisions: new Map(),
    }))
    const sweepAll = () => Promise.all(sweeps.map((swept, i) => sweep(services[i]!, swept)))
    await whileWriting(pair, sweepAll)
    await sweepAll()
    for (const [i, { uuid }] of [pair.issuer, pair.counterparty].entries()) {
      const rows = await one.database.rows<{ revision: number }>(sql`
        select d.revision from document_views v join documents d on d.id = v.document_id
        where v.organization_id = ${uuid}`)
      const expected = rows.map(({ revision }) => revision).toSorted()
      assert.deepEqual([...sweeps[i]!.revisions.values()].toSorted(), expected)
      assert(expected.length >= 60)
    }
  })
})

describe('contract 7: the feed of each organization', () => {
  test('position order is commit order: at any moment a reader sees a prefix without a gap', async () => {
    const pair = await aPair(one)
    await whileWriting(pair, async () => {
      const wrong = await one.database.rows(sql`
        select organization_id from events group by 1 having max(feed) <> count(*)`)
      assert.deepEqual(wrong, [])
    })
    await assertServiceConsistent(one)
  })

  test('a clock that was set back does not set back the time of changes', async () => {
    const pair = await aPair(one)
    await one.database.run(sql`
      update organization_counters set changed_at = '2100-01-01T00:00:00.123Z'
      where organization_id = ${pair.counterparty.uuid}`)
    const draft = await aDraft(one, pair)
    assert(draft.updated_at < '2100', 'the other side does not see a draft')
    const issued = await callApi(one, 'POST', `/v1/documents/${draft.id}/issue`, {
      key: pair.issuer.key,
    })
    assert.equal(issued.body.updated_at, '2100-01-01T00:00:00.123Z')
    const moved = await move(two, pair.counterparty.key, draft.id, 'approved')
    assert.equal(moved.body.updated_at, '2100-01-01T00:00:00.123Z')
  })

  test('the last event of a receiver shows exactly what the receiver reads', async () => {
    const pair = await aPair(one)
    const metadata = { margin: 'for the issuer' }
    const { id } = await anInvoice(one, pair, { metadata })
    await move(two, pair.counterparty.key, id, 'approved')
    await move(one, pair.issuer.key, id, 'disputed', { reason_code: 'PRI', note: 'Price' })
    for (const { key, uuid } of [pair.issuer, pair.counterparty]) {
      const [last] = await one.database.rows<{ payload: string }>(sql`
        select payload from events where organization_id = ${uuid} order by feed desc limit 1`)
      const { body } = await callApi(two, 'GET', `/v1/documents/${id}`, { key })
      assert.deepEqual(JSON.parse(last!.payload).data.document, body)
    }
  })

  test('only the organization whose call caused an event learns which call it was', async () => {
    const pair = await aPair(one)
    const { id } = await anInvoice(one, pair)
    const headers = { 'idempotency-key': 'approved-by-the-buyer' }
    await callApi(one, 'POST', `/v1/documents/${id}/transition`, {
      key: pair.counterparty.key,
      body: { to: 'approved' },
      headers,
    })
    const requests = await one.database.rows<{ organization_id: string; key: string | null }>(sql`
      select organization_id, payload::jsonb #>> '{request,idempotency_key}' as key from events
      where payload::jsonb #>> '{data,document,status}' = 'approved'
        and organization_id in (${pair.issuer.uuid}, ${pair.counterparty.uuid})`)
    assert.deepEqual(
      Object.fromEntries(requests.map(({ organization_id, key }) => [organization_id, key])),
      { [pair.issuer.uuid]: null, [pair.counterparty.uuid]: 'approved-by-the-buyer' },
    )
  })
})
