/** Change times and feeds follow commit order, so sweeps and event feeds are complete. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Connection, sql } from '../../src/database/sql.ts'
import { inTransaction } from '../../src/database/transactions.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { assertServiceConsistent } from '../support/database/consistency-auditor.ts'
import { callApi } from '../support/api-client.ts'
import { eachPage } from '../support/http/all-pages.ts'
import { type Pair, aDraft, aPair, anInvoice, move } from '../support/fixtures.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openConnection } from '../support/engine/engine-fixture.ts'
import { storedEnvelopes } from '../support/webhooks/stored-events.ts'

const one = await startTestService()
const two = await one.startAnother()
const services = [one, two] as const
const foreign = await openConnection(one.databaseUrl)

/** Writers create, issue and move documents continuously, and stall repeatedly. */
const whileWriting = async (pair: Pair, read: () => Promise<unknown>): Promise<void> => {
  let written = 0
  let isDone = false
  const writers = Array.from({ length: 6 }, async (_, i) => {
    const service = services[i % 2]!
    for (; !isDone; written += 1) {
      const { id } = await anInvoice(service, pair)
      await move(service, pair.counterparty.key, id, 'approved')
      await aDraft(service, pair)
    }
  })
  const readers = async () => {
    for (let round = 0; round < 10; round += 1) {
      await stallWriters(foreign, read)
      for (const target = written + 6; written < target;) await read()
    }
  }
  // A writer that fails ends the test at once with its error.
  await Promise.race([readers(), Promise.all(writers)]).finally(() => (isDone = true))
  await Promise.all(writers)
}

/** Blocks writers that have taken their times and positions, but have not written them yet. */
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

/** The state of a client between sweeps: the revisions it saw, and the start of the next sweep. */
interface SweepState {
  key: string
  since: string
  revisions: Map<string, number>
}

/** Reads all pages. The next sweep starts from the latest change on the first page. */
const sweep = async (running: TestService, state: SweepState): Promise<void> => {
  let next: string | undefined
  const seen = new Set<string>()
  const query = new URLSearchParams({ updated_since: state.since, limit: '25' })
  for await (const { data } of eachPage(running, state.key, `/v1/documents?${query}`)) {
    for (const { id, revision, updated_at } of data) {
      assert(!seen.has(id), 'pages are disjoint')
      seen.add(id)
      state.revisions.set(id, Math.max(revision, state.revisions.get(id) ?? 0))
      assert(updated_at >= state.since)
    }
    next ??=
      data
        .map((document: { updated_at: string }) => document.updated_at)
        .toSorted()
        .at(-1) ?? state.since
  }
  state.since = next!
}

describe('contract 6: updated_since', () => {
  test('sweeps of both sides miss no change while writers stall', async () => {
    const pair = await aPair(one)
    const sweeps: SweepState[] = [pair.issuer, pair.counterparty].map(({ key }) => ({
      key,
      since: '2000-01-01T00:00:00.000Z',
      revisions: new Map(),
    }))
    const sweepAll = () => Promise.all(sweeps.map((state, i) => sweep(services[i]!, state)))
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
  test('positions follow commit order: a reader always sees a prefix without a gap', async () => {
    const pair = await aPair(one)
    await whileWriting(pair, async () => {
      const gaps = await one.database.rows(sql`
        select organization_id from events group by 1 having max(feed) <> count(*)`)
      assert.deepEqual(gaps, [])
    })
    await assertServiceConsistent(one)
  })

  test('when the clock is set back, change times do not go back', async () => {
    const pair = await aPair(one)
    await runAndSeal(
      one.database,
      'organization_counters',
      sql`
      update organization_counters set changed_at = '2100-01-01T00:00:00.123Z'
      where organization_id = ${pair.counterparty.uuid}`,
    )
    const draft = await aDraft(one, pair)
    assert(draft.updated_at < '2100', 'the other side does not see a draft')
    const issued = await callApi(one, 'POST', `/v1/documents/${draft.id}/issue`, {
      key: pair.issuer.key,
    })
    assert.equal(issued.body.updated_at, '2100-01-01T00:00:00.124Z')
    const moved = await move(two, pair.counterparty.key, draft.id, 'approved')
    assert.equal(moved.body.updated_at, '2100-01-01T00:00:00.125Z')
  })

  test('the last event of a receiver shows exactly what the receiver reads', async () => {
    const pair = await aPair(one)
    const metadata = { margin: 'for the issuer' }
    const { id } = await anInvoice(one, pair, { metadata })
    await move(two, pair.counterparty.key, id, 'approved')
    await move(one, pair.issuer.key, id, 'disputed', { reason_code: 'PRI', note: 'Price' })
    for (const { key, uuid } of [pair.issuer, pair.counterparty]) {
      const last = (await storedEnvelopes(one.database, uuid)).at(-1)
      const { body } = await callApi(two, 'GET', `/v1/documents/${id}`, { key })
      assert.deepEqual(last.data.document, body)
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
    const keyShownTo = async ({ uuid }: { uuid: string }) => {
      const { data, request } = (await storedEnvelopes(one.database, uuid)).at(-1)
      assert.equal(data.document.status, 'approved')
      return request?.idempotency_key
    }
    assert.equal(await keyShownTo(pair.issuer), undefined)
    assert.equal(await keyShownTo(pair.counterparty), 'approved-by-the-buyer')
  })
})
