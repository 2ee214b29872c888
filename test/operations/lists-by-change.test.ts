/** Lists in the order of changes: `sort=updated` (contract 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { callApi } from '../support/api-client.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { allPages, eachPage } from '../support/http/all-pages.ts'
import { type Pair, aDraft, aPair, anInvoice, move } from '../support/fixtures.ts'
import { anApprovedInvoice, pay } from '../support/payments/approved-invoices.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const another = await running.startAnother()

// oxlint-disable-next-line typescript/no-explicit-any -- rows of a response
type Row = any

const place = ({ updated_at, id }: Row): string => `${updated_at} ${id}`

const inOrder = (rows: readonly Row[]): boolean => {
  const places = rows.map(place)
  return places.every((one, i) => i === 0 || places[i - 1]! < one)
}

const list = (key: string, query: string) =>
  callApi(running, 'GET', `/v1/documents?${query}`, { key })

const problemOf = async (key: string, path: string) => {
  const { status, body } = await callApi(running, 'GET', path, { key })
  assert.equal(status, 400)
  const [{ param, code }] = body.error.details.errors
  return { param, code }
}

/** As after a clock that was set back: every change time is made from the one before. */
const stopClock = ({ issuer, counterparty }: Pair) =>
  runAndSeal(
    running.database,
    'organization_counters',
    sql`update organization_counters set changed_at = '2100-01-01T00:00:00Z'
      where organization_id in (${issuer.uuid}, ${counterparty.uuid})`,
  )

describe('contract 6: sort=updated', () => {
  test('documents come oldest change first, by updated_at and id, filtered or not', async () => {
    const pair = await aPair(running)
    const drafts = []
    for (let i = 0; i < 7; i += 1) drafts.push(await aDraft(running, pair))
    await move(running, pair.issuer.key, drafts[2].id, 'cancelled')
    await callApi(running, 'POST', `/v1/documents/${drafts[0].id}/issue`, { key: pair.issuer.key })
    const path = '/v1/documents?sort=updated&limit=2'
    const rows = await allPages(running, pair.issuer.key, path)
    assert.equal(rows.length, 7)
    assert(inOrder(rows))
    assert.equal(rows.at(-1).id, drafts[0].id)
    const inDraft = await allPages(running, pair.issuer.key, `${path}&status=draft`)
    assert.deepEqual(
      inDraft,
      rows.filter(({ status }) => status === 'draft'),
    )
    const since = rows[4].updated_at
    const late = await allPages(running, pair.issuer.key, `${path}&updated_since=${since}`)
    assert.deepEqual(
      late,
      rows.filter(({ updated_at }) => updated_at >= since),
    )
    assert.deepEqual(
      (await allPages(running, pair.counterparty.key, path)).map(({ id }) => id),
      [drafts[0].id],
    )
  })

  test('what changes during the walk comes again at its end, even within one instant', async () => {
    const pair = await aPair(running)
    await stopClock(pair)
    const [first] = [await aDraft(running, pair), await aDraft(running, pair)]
    const seen: string[] = []
    const path = '/v1/documents?sort=updated&limit=1'
    for await (const { data } of eachPage(running, pair.issuer.key, path)) {
      if (seen.length === 0) {
        const patched = { key: pair.issuer.key, body: { notes: 'Changed' } }
        await callApi(running, 'PATCH', `/v1/documents/${first.id}`, patched)
      }
      seen.push(...data.map(({ id, revision }) => `${id} ${revision}`))
    }
    assert.equal(seen.length, 3)
    assert.equal(seen[0], `${first.id} 1`)
    assert.equal(seen[2], `${first.id} 2`)
  })

  test('its cursors are authenticated and belong to it, and a search has its own order', async () => {
    const { issuer, counterparty, ...pair } = await aPair(running)
    for (let i = 0; i < 3; i += 1) await aDraft(running, { issuer, counterparty, ...pair })
    const { body } = await list(issuer.key, 'sort=updated&limit=2')
    const cursor: string = body.next_cursor
    const invalid = { param: 'cursor', code: 'invalid_cursor' }
    const tampered = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA')
    const at = (key: string, query: string) => problemOf(key, `/v1/documents?limit=2&${query}`)
    assert.deepEqual(await at(issuer.key, `sort=updated&cursor=${tampered}`), invalid)
    assert.deepEqual(await at(issuer.key, `cursor=${cursor}`), invalid)
    assert.deepEqual(await at(counterparty.key, `sort=updated&cursor=${cursor}`), invalid)
    const sorted = { param: 'sort', code: 'invalid_value' }
    assert.deepEqual(await at(issuer.key, 'sort=updated&query=consulting'), sorted)
    assert.equal((await at(issuer.key, 'sort=created')).param, 'sort')
  })

  test('payments come in the order of their changes, in both directions', async () => {
    const pair = await aPair(running)
    for (let i = 0; i < 5; i += 1) {
      const { id } = await anApprovedInvoice(running, pair)
      const body = { source_account_id: 'acct_test_stuck' }
      const paid = await pay(running, pair.counterparty.key, id, { body })
      assert.equal(paid.status, 200, paid.text)
    }
    for (const { key } of [pair.issuer, pair.counterparty]) {
      const rows = await allPages(running, key, '/v1/payments?sort=updated&limit=2')
      assert.equal(rows.length, 5)
      assert(inOrder(rows))
      const since = rows[3].updated_at
      const path = `/v1/payments?sort=updated&limit=1&updated_since=${since}`
      assert.deepEqual(
        (await allPages(running, key, path)).map(({ id }) => id),
        rows.slice(3).map(({ id }) => id),
      )
    }
  })
})

/** Each document is three changes; with LONG=1, more than 10,000 happen. */
const isLong = process.env['LONG'] === '1'
const { documentCount, limit, pageLimit } = isLong
  ? { documentCount: 3_400, limit: 50, pageLimit: 100 }
  : { documentCount: 60, limit: 3, pageLimit: 20 }

describe('contract 6: sweeps, the feed and pages miss nothing while others write', () => {
  /** Reads to the end of the list, as often as asked, and resumes from the newest change read. */
  const sweeper = (key: string) => {
    const revisions = new Map<string, number>()
    let since = '2020-01-01T00:00:00.000Z'
    return {
      revisions,
      sweep: async () => {
        const seen = new Set<string>()
        const path = `/v1/documents?sort=updated&limit=${limit}&updated_since=${since}`
        for await (const { data } of eachPage(running, key, path)) {
          for (const { id, revision, updated_at } of data) {
            assert(!seen.has(`${id} ${revision}`), 'a change comes once')
            seen.add(`${id} ${revision}`)
            assert(revision >= (revisions.get(id) ?? 0), 'a document never goes back')
            revisions.set(id, revision)
            since = updated_at
          }
        }
      },
    }
  }

  /** Reads the feed to its end, after the newest event read. */
  const follower = async (key: string) => {
    const [newest] = (await callApi(running, 'GET', '/v1/events?limit=1', { key })).body.data
    const events: string[] = [newest.id]
    const follow = async () => {
      const path = `/v1/events?limit=${pageLimit}&after=${events.at(-1)}`
      for (const { id } of await allPages(running, key, path)) events.push(id)
    }
    return { events, follow }
  }

  /** Reads all pages, newest first: each document once, and all that were there before. */
  const walk = async (key: string, before: readonly string[]) => {
    const rows = await allPages(running, key, `/v1/documents?limit=${pageLimit}`)
    const ids = new Set(rows.map(({ id }) => id))
    assert.equal(ids.size, rows.length, 'a document comes once')
    for (const id of before) assert(ids.has(id), id)
  }

  const storedEvents = (organization: string) =>
    running.database.rows<{ id: string }>(
      sql`select id from events where organization_id = ${organization} order by feed`,
    )

  for (const [clock, prepare] of [
    ['the real clock', async () => undefined],
    ['a clock that stands still', stopClock],
  ] as const) {
    test(`under ${clock}`, async () => {
      const pair = await aPair(running)
      await anInvoice(running, pair)
      await prepare(pair)
      let isDone = false
      const writers = [running, another, running, another].map(async (service) => {
        while (!isDone) {
          const { id } = await anInvoice(service, pair)
          const moved = await move(service, pair.counterparty.key, id, 'approved')
          assert.equal(moved.status, 200, moved.text)
        }
      })
      const sides = await Promise.all(
        [pair.issuer, pair.counterparty].map(async ({ key, uuid }) => ({
          key,
          uuid,
          ...sweeper(key),
          ...(await follower(key)),
        })),
      )
      const read = Promise.all(
        sides.map(async ({ key, revisions, sweep, follow }) => {
          while (revisions.size < documentCount) {
            const before = [...revisions.keys()]
            await Promise.all([sweep(), follow(), walk(key, before)])
          }
        }),
      ).finally(() => (isDone = true))
      await Promise.all([...writers, read])
      for (const { uuid, revisions, events, sweep, follow } of sides) {
        await Promise.all([sweep(), follow()])
        const stored = (await storedEvents(uuid)).map(({ id }) => encodeId('evt', id))
        assert.deepEqual(events, stored.slice(stored.indexOf(events[0]!)))
        const rows = await running.database.rows<{ revision: number; count: number }>(sql`
          select d.revision, count(*)::int as count from documents d
          join document_views v on v.document_id = d.id
          where v.organization_id = ${uuid} group by 1`)
        const seen = Map.groupBy(revisions.values(), (revision) => revision)
        assert.deepEqual(
          new Map([...seen].map(([revision, all]) => [revision, all.length])),
          new Map(rows.map(({ revision, count }) => [revision, count])),
        )
      }
    })
  }
})
