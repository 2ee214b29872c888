/** Specification 4, clause by clause: operations, Idempotency-Key and pagination. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, aPair, anInvoice, exampleLine } from '../support/fixtures.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { issuer, connection } = pair
const draftBody = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }

const get = (path: string, key: string | null = issuer.key) =>
  callApi(running, 'GET', path, key === null ? {} : { key })

const create = (idempotencyKey: string, body: object = draftBody) =>
  callApi(running, 'POST', '/v1/documents', {
    key: issuer.key,
    body,
    headers: { 'idempotency-key': idempotencyKey },
  })

describe('specification 4.1: operations', () => {
  test('every response carries Svc-Api-Version', async () => {
    for (const reply of [
      await get('/v1/documents'),
      await get('/v1/documents/doc_none'),
      await get('/v1/enablement', null),
      await get('/v1/documents', null),
    ]) {
      assert.match(reply.headers.get('svc-api-version') ?? '', /^\d+\.\d+\.\d+$/)
    }
  })

  test('documents are listed newest first, by type, connection, status, date, change and phase', async () => {
    const { id, updated_at } = await anInvoice(running, pair, { document_date: '2026-03-04' })
    const idsOf = async (query: string): Promise<string[]> =>
      (await get(`/v1/documents?${query}`)).body.data.map((found: { id: string }) => found.id)
    for (const query of [
      'type=invoice',
      `connection=${connection}`,
      'status=submitted',
      'since=2026-03-04&until=2026-03-04',
      'since=2026-03-04T10:00:00Z&until=2026-03-04T01:00:00Z',
      `updated_since=${updated_at}`,
      'phase=pending',
    ]) {
      assert.equal((await idsOf(query))[0], id, query)
    }
    assert.deepEqual(await idsOf('since=2026-03-05&until=2026-03-06'), [])
  })

  test('the export is byte-deterministic, and Svc-Bundle-Digest is the sha256 of its bytes', async () => {
    const { id } = await anInvoice(running, pair)
    const signed = async () => {
      for (;;) {
        const reply = await get(`/v1/documents/${id}/export`)
        if (reply.status !== 503) return reply
      }
    }
    const [first, again] = [await signed(), await signed()]
    assert.equal(first.status, 200, first.text)
    assert.equal(again.text, first.text)
    const digest = createHash('sha256').update(first.text).digest('hex')
    assert.equal(first.headers.get('svc-bundle-digest')?.replace('sha256:', ''), digest)
  })

  test('enablement and the specification are read without a credential, and nothing else is', async () => {
    assert.equal((await get('/v1/enablement', null)).status, 200)
    assert.equal((await get('/v1/openapi.json', null)).status, 200)
    for (const path of ['/v1/documents', '/v1/me', '/v1/keys', '/v1/finance/offers']) {
      assertRefused(await get(path, null), 'unauthorized')
    }
  })
})

describe('specification 4.2: Idempotency-Key', () => {
  test('4.2.1 every write requires one of 8 to 128 characters', async () => {
    assertProblems(await create(''), 'Idempotency-Key missing_header')
    for (const key of ['1234567', 'x'.repeat(129)]) assert.equal((await create(key)).status, 400)
    for (const key of [freshIdempotencyKey().slice(0, 8), freshIdempotencyKey().padEnd(128, 'x')]) {
      assert.equal((await create(key)).status, 201)
    }
  })

  test('4.2.2 and 4.2.3 the same JSON in another order replays the same bytes', async () => {
    const key = freshIdempotencyKey()
    const first = await create(key)
    const reversed = Object.fromEntries(Object.entries(draftBody).toReversed())
    const again = await create(key, reversed)
    assert.deepEqual([again.status, again.text], [first.status, first.text])
    assert.equal(again.headers.get('idempotent-replay'), 'true')
    assert.equal(first.headers.get('idempotent-replay'), null)
  })

  test('4.2.5 a refusal releases the key', async () => {
    const key = freshIdempotencyKey()
    assert.equal((await create(key, { ...draftBody, currency: 'JPY' })).status, 400)
    assert.equal((await create(key)).status, 201)
  })

  test('4.2.6 another body conflicts, and the original stays replayable', async () => {
    const key = freshIdempotencyKey()
    const first = await create(key)
    assertRefused(await create(key, { ...draftBody, notes: 'other' }), 'idempotency_conflict')
    assert.equal((await create(key)).text, first.text)
  })
})

describe('specification 4.3: pagination', () => {
  test('4.3.1 to 4.3.3 pages are disjoint and stable while documents are created', async () => {
    const own = await aPair(running)
    const made: string[] = []
    for (let i = 0; i < 5; i += 1) made.unshift((await aDraft(running, own)).id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const path: string = `/v1/documents?limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await get(path, own.issuer.key)
      seen.push(...body.data.map((found: { id: string }) => found.id))
      cursor = body.next_cursor
      await aDraft(running, own)
    }
    assert.deepEqual(seen, made)
  })

  test('4.3.2 and 4.3.4 a cursor is bound to its query, and a made-up one is refused', async () => {
    const { body } = await get('/v1/documents?limit=1')
    const other = await get(`/v1/documents?limit=1&type=quote&cursor=${body.next_cursor}`)
    assertProblems(other, 'cursor invalid_cursor')
    assertProblems(await get('/v1/documents?cursor=made-up'), 'cursor invalid_cursor')
  })

  test('4.3.5 limit is 1 to 100, and 20 without it', async () => {
    const own = await aPair(running)
    for (let i = 0; i < 21; i += 1) await aDraft(running, own)
    assert.equal((await get('/v1/documents', own.issuer.key)).body.data.length, 20)
    for (const limit of ['0', '101', 'abc']) {
      assert.equal((await get(`/v1/documents?limit=${limit}`)).status, 400, limit)
    }
  })
})
