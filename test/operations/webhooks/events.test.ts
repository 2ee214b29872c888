/** The event feed is exact, complete and in commit order (contract 4 and 7, engine 2). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../../src/database/sql.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi } from '../../support/api-client.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { type TestOrganization, aDraft, aPair, anInvoice, move } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { storedEnvelopes } from '../../support/webhooks/stored-events.ts'

const running = await startTestService()

const read = (caller: TestOrganization, query = '') =>
  callApi(running, 'GET', `/v1/events${query}`, { key: caller.key })

/** Follows the feed from after an event, page by page. */
const follow = async (
  caller: TestOrganization,
  after: string,
  limit = 3,
): Promise<{ id: string }[]> =>
  allPages(running, caller.key, `/v1/events?after=${after}&limit=${limit}`)

describe('the content of an event', () => {
  test('6.2 an event is the envelope projected for its reader, with the request only for its caller', async () => {
    const pair = await aPair(running)
    const invoice = await anInvoice(running, pair)
    const [issued, created] = (await read(pair.issuer)).body.data
    assert.deepEqual(
      [created.type, created.sequence, issued.type, issued.sequence],
      ['document.created', 1, 'document.status_changed', 2],
    )
    const { id, created_at, data, request, ...rest } = issued
    assert.match(id, /^evt_/)
    assert.deepEqual(rest, {
      type: 'document.status_changed',
      api_version: '1.16.0',
      sequence: 2,
      sandbox: true,
    })
    assert.equal(created_at, invoice.updated_at)
    assert.equal(data.previous_status, 'draft')
    assert.deepEqual(data.document, invoice, 'as GET answers it')
    assert.match(request.id, /^req_/)
    assert.match(request.key_prefix, /^rk_test_/)
    const [changed, received] = (await read(pair.counterparty)).body.data
    assert.deepEqual(
      [received.type, received.sequence, changed.type, changed.sequence],
      ['document.created', 1, 'document.status_changed', 2],
    )
    assert.deepEqual([received.request, changed.data.document.label], [null, 'Bill'])
    const one = await callApi(running, 'GET', `/v1/events/${id}`, { key: pair.issuer.key })
    assert.deepEqual(one.body, issued)
  })

  test('contract 11: an event is immutable and shows the document as it was then', async () => {
    const pair = await aPair(running)
    const invoice = await anInvoice(running, pair, { notes: 'as issued' })
    const [issued] = (await read(pair.counterparty)).body.data
    const before = await callApi(running, 'GET', `/v1/events/${issued.id}`, {
      key: pair.counterparty.key,
    })
    await move(running, pair.counterparty.key, invoice.id, 'approved')
    await move(running, pair.issuer.key, invoice.id, 'disputed', { reason_code: 'PRI', note: 'x' })
    const later = await callApi(running, 'GET', `/v1/events/${issued.id}`, {
      key: pair.counterparty.key,
    })
    assert.equal(later.text, before.text)
    assert.deepEqual(
      [later.body.data.document.status, later.body.data.document.revision],
      ['submitted', invoice.revision],
    )
  })

  test('an event of a live organization has no sandbox field', async () => {
    const pair = await aPair(running, 'live')
    await aDraft(running, pair)
    const [event] = (await read(pair.issuer)).body.data
    assert.equal('sandbox' in event, false)
  })
})

describe('following the feed', () => {
  test('`after` returns every later event in commit order across all pages', async () => {
    const pair = await aPair(running)
    const draft = await aDraft(running, pair)
    const [start] = (await read(pair.issuer)).body.data
    for (const notes of ['a', 'b', 'c', 'd']) {
      await callApi(running, 'PATCH', `/v1/documents/${draft.id}`, {
        key: pair.issuer.key,
        body: { notes },
      })
    }
    const edits = await follow(pair.issuer, start.id)
    const sequences = edits.map((event) => (event as unknown as { sequence: number }).sequence)
    assert.deepEqual(sequences, [2, 3, 4, 5])
    assert.deepEqual(await follow(pair.issuer, edits.at(-1)!.id), [])
  })

  test('a reader during concurrent writes sees each event once and in order, and misses none', async () => {
    const pair = await aPair(running)
    await aDraft(running, pair)
    const [start] = (await read(pair.issuer)).body.data
    let isWriting = true
    const writing = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let i = 0; i < 6; i += 1) await anInvoice(running, pair)
      }),
    ).finally(() => (isWriting = false))
    const seen: string[] = []
    let last: string = start.id
    let wasWriting = true
    while (wasWriting) {
      wasWriting = isWriting
      const found = await follow(pair.issuer, last, 10)
      seen.push(...found.map(({ id }) => id))
      last = seen.at(-1) ?? last
    }
    await writing
    const all = (await storedEnvelopes(running.database, pair.issuer.uuid)).map(({ id }) => id)
    assert.deepEqual(seen, all.slice(1))
    assert.equal(seen.length, 96)
  })

  test('without `after` the newest events come first, and pages do not overlap', async () => {
    const pair = await aPair(running)
    for (let i = 0; i < 5; i += 1) await aDraft(running, pair)
    const first = await read(pair.issuer, '?limit=3')
    const second = await read(pair.issuer, `?limit=3&cursor=${first.body.next_cursor}`)
    const ids = [...first.body.data, ...second.body.data].map(({ id }) => id)
    assert.deepEqual([ids.length, new Set(ids).size], [5, 5])
    assert.deepEqual(ids.toSorted().toReversed(), ids)
    assert.equal(second.body.next_cursor, null)
  })

  test('the feed filters by type and document, alone and with `after`', async () => {
    const pair = await aPair(running)
    const one = await anInvoice(running, pair)
    await anInvoice(running, pair)
    await move(running, pair.counterparty.key, one.id, 'approved')
    const types = await read(pair.issuer, '?type=document.created')
    assert.equal(types.body.data.length, 2)
    const its = await read(pair.issuer, `?document=${one.id}`)
    assert.deepEqual(
      its.body.data.map((event: { sequence: number }) => event.sequence),
      [3, 2, 1],
    )
    const later = await read(pair.issuer, `?document=${one.id}&after=${its.body.data[2].id}`)
    assert.deepEqual(
      later.body.data.map((event: { sequence: number }) => event.sequence),
      [2, 3],
    )
    assertProblems(await read(pair.issuer, '?type=document.creatd'), 'type invalid_value')
  })
})

describe('refused positions in the feed', () => {
  test('contract 4: an expired, foreign or unknown `after` answers 400 invalid_cursor', async () => {
    const pair = await aPair(running)
    await aDraft(running, pair)
    const [event] = (await read(pair.issuer)).body.data
    const wrong = [event.id.replace(/.{4}$/, '0000')]
    for (const after of wrong) {
      assertProblems(await read(pair.issuer, `?after=${after}`), 'after invalid_cursor')
    }
    assertProblems(await read(pair.counterparty, `?after=${event.id}`), 'after invalid_cursor')
    await running.database.run(sql`
      update events set created_at = now() - interval '30 days 1 second'
      where organization_id = ${pair.issuer.uuid}`)
    assertProblems(await read(pair.issuer, `?after=${event.id}`), 'after invalid_cursor')
    assert.deepEqual((await read(pair.issuer)).body.data, [], 'the event is no longer listed')
    const one = await callApi(running, 'GET', `/v1/events/${event.id}`, { key: pair.issuer.key })
    assertRefused(one, 'not_found')
  })

  test('contract 6: a cursor of another query or organization answers 400 invalid_cursor', async () => {
    const pair = await aPair(running)
    for (let i = 0; i < 2; i += 1) await anInvoice(running, pair)
    const { next_cursor } = (await read(pair.issuer, '?limit=1')).body
    const other = `?limit=1&type=document.created&cursor=${next_cursor}`
    assertProblems(await read(pair.issuer, other), 'cursor invalid_cursor')
    const foreign = await read(pair.counterparty, `?limit=1&cursor=${next_cursor}`)
    assertProblems(foreign, 'cursor invalid_cursor')
  })
})
