/** One Idempotency-Key has one effect and one response (specification 4.2, contract 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { assertProblems, assertRefused } from '../support/http/error-responses.ts'
import {
  type RequestOptions,
  type Reply,
  callApi,
  freshIdempotencyKey,
} from '../support/api-client.ts'
import { aDraft, aKey, exampleLine, anInvoice, anOrganization, move } from '../support/fixtures.ts'
import type { TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { tablesContaining } from '../support/database/plaintext-search.ts'
import { runAndSealResponses } from '../support/database/run-and-seal.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'

const { running, database, pair, issuer, counterparty, connection } = await startTradingPair()
const create = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
const mint = { name: 'Minted', scopes: ['documents:read'] }

/** POST with this Idempotency-Key, by the issuer unless the options name another caller. */
const post = (path: string, key: string, options: RequestOptions = {}, at: TestService = running) =>
  callApi(at, 'POST', path, { key: issuer.key, ...options, headers: { 'idempotency-key': key } })

/** As if the responses to the issuer had been stored so much earlier. */
const ageBy = (interval: string) =>
  runAndSealResponses(
    database,
    issuer.uuid,
    sql`update idempotency set created_at = created_at - ${interval}::interval
      where organization_id = ${issuer.uuid}`,
  )

const documentCount = async (): Promise<number> =>
  Number((await database.rows<{ n: bigint }>(sql`select count(*) as n from documents`))[0]!.n)

const perRequestHeaders = [
  'request-id',
  'idempotent-replay',
  'svc-original-request-id',
  'ratelimit',
  'date',
]

/** A replay equals the original in status, bytes and headers, except for per-request headers. */
const assertReplay = (original: Reply, replay: Reply): void => {
  const stableHeaders = ({ headers }: Reply) =>
    [...headers].filter(([name]) => !perRequestHeaders.includes(name))
  assert.deepEqual([replay.status, replay.text], [original.status, original.text])
  assert.deepEqual(stableHeaders(replay), stableHeaders(original))
  assert.equal(original.headers.get('idempotent-replay'), null)
  assert.equal(replay.headers.get('idempotent-replay'), 'true')
  const first = original.headers.get('request-id')
  assert.equal(replay.headers.get('svc-original-request-id'), first)
  assert.notEqual(replay.headers.get('request-id'), first)
}

describe('specification 4.2', () => {
  test('4.2.1 a write without Idempotency-Key is refused before anything happens', async () => {
    const before = await documentCount()
    assertProblems(
      await post('/v1/documents', '', { body: create }),
      'Idempotency-Key missing_header',
    )
    assert.equal(await documentCount(), before)
  })

  test('4.2.2 the same key and body replay the original byte for byte, with ETag and Location', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    assert.equal(original.status, 201)
    assert.equal(original.headers.get('etag'), '"1"')
    const location = original.headers.get('location')!
    assert(location.endsWith(`/v1/documents/${original.body.id}`), location)
    const before = await documentCount()
    assertReplay(original, await post('/v1/documents', key, { body: create }))
    assertReplay(original, await post('/v1/documents', key, { body: create }))
    assert.equal(await documentCount(), before, 'a replay creates nothing')
  })

  test('4.2.2 every kind of write replays, even after the record has changed', async () => {
    const draft = await aDraft(running, pair)
    const path = `/v1/documents/${draft.id}`
    const patchKey = freshIdempotencyKey()
    const patch = () =>
      callApi(running, 'PATCH', path, {
        key: issuer.key,
        body: { notes: 'Edited' },
        headers: { 'idempotency-key': patchKey },
      })
    const [issueKey, cancelKey] = [freshIdempotencyKey(), freshIdempotencyKey()]
    const edited = await patch()
    const issued = await post(`${path}/issue`, issueKey)
    const cancelled = await post(`${path}/transition`, cancelKey, { body: { to: 'cancelled' } })
    assert.deepEqual([edited.status, issued.status, cancelled.status], [200, 200, 200])
    assertReplay(edited, await patch())
    assertReplay(issued, await post(`${path}/issue`, issueKey))
    assertReplay(issued, await post(`${path}/issue`, issueKey, { raw: '{}' }))
    const again = await post(`${path}/transition`, cancelKey, { body: { to: 'cancelled' } })
    assertReplay(cancelled, again)
  })

  test('4.2.3 the same JSON in another order and another spelling is the same request', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    const reversed = (value: object): object =>
      Object.fromEntries(Object.entries(value).toReversed())
    const body = { ...reversed(create), line_items: [reversed(exampleLine)] }
    assertReplay(original, await post('/v1/documents', key, { body }))
    const spelled = JSON.stringify(create, null, 2)
      .replace('"quantity": 10', '"quantity": 1.0e1')
      .replace('Consulting', '\\u0043onsulting')
    assertReplay(original, await post('/v1/documents', key, { raw: spelled }))
  })

  test('4.2.4 a key is stored for 24 hours, after which it runs a new request', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    await ageBy('23 hours 59 minutes')
    assertReplay(original, await post('/v1/documents', key, { body: create }))
    await ageBy('1 minute')
    assert.deepEqual((await state(key)).body, { status: 'unknown' })
    const fresh = await post('/v1/documents', key, { body: { ...create, notes: 'Other' } })
    assert.equal(fresh.status, 201)
    assert.equal(fresh.headers.get('idempotent-replay'), null)
    assert.notEqual(fresh.body.id, original.body.id)
  })

  test('4.2.4 so is the key of a mint', async () => {
    const [key, by] = [freshIdempotencyKey(), { key: issuer.session }]
    assert.equal((await post('/v1/keys', key, { ...by, body: mint })).status, 201)
    await ageBy('24 hours')
    const fresh = await post('/v1/keys', key, { ...by, body: { ...mint, name: 'Other' } })
    assert.deepEqual([fresh.status, fresh.body.name], [201, 'Other'])
  })

  test('4.2.5 every refusal releases the key', async () => {
    const { id } = await anInvoice(running, pair)
    const key = freshIdempotencyKey()
    const refusals: [string, RequestOptions, string][] = [
      ['/v1/documents', { body: { ...create, line_items: [] } }, 'invalid_request'],
      ['/v1/documents', { raw: '{' }, 'invalid_request'],
      [`/v1/documents/doc_${'0'.repeat(26)}/issue`, {}, 'not_found'],
      [`/v1/documents/${id}/issue`, {}, 'conflict'],
      [`/v1/documents/${id}/transition`, { body: { to: 'approved' } }, 'conflict'],
      ['/v1/keys', { body: { name: 'x', scopes: ['documents:read'] } }, 'insufficient_scope'],
    ]
    for (const [path, options, code] of refusals) {
      assertRefused(await post(path, key, options), code)
      assert.deepEqual((await state(key)).body, { status: 'unknown' })
    }
    assert.equal((await post('/v1/documents', key, { body: create })).status, 201)
  })

  test('4.2.6 the same key with another body answers idempotency_conflict, and the first still replays', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    const other = await post('/v1/documents', key, { body: { ...create, notes: 'Other' } })
    const details = assertRefused(other, 'idempotency_conflict')
    assert.equal(details.original_request_id, original.headers.get('request-id'))
    assert(Math.abs(Date.parse(details.first_seen_at) - Date.now()) < 60_000)
    assertReplay(original, await post('/v1/documents', key, { body: create }))
  })

  test('4.2.6 the same key with another path or method answers idempotency_conflict', async () => {
    const [one, other] = [await aDraft(running, pair), await aDraft(running, pair)]
    const key = freshIdempotencyKey()
    assert.equal((await post(`/v1/documents/${one.id}/issue`, key)).status, 200)
    assertRefused(await post(`/v1/documents/${other.id}/issue`, key), 'idempotency_conflict')
    const options = { key: issuer.key, body: {}, headers: { 'idempotency-key': key } }
    const patch = await callApi(running, 'PATCH', `/v1/documents/${one.id}`, options)
    assertRefused(patch, 'idempotency_conflict')
  })

  for (const [where, path, options] of [
    ['this', '/v1/documents', { body: create }],
    ['another', '/v1/documents', { body: create }],
    ['another', '/v1/keys', { key: issuer.session, body: mint }],
  ] as const) {
    test(`4.2.7 a concurrent retry of ${path} in ${where} process answers request_in_progress at once`, async () => {
      const retryService = where === 'this' ? running : await running.startAnother()
      const key = freshIdempotencyKey()
      await database.run(sql`begin`)
      await database.run(sql`
        select from organization_counters where organization_id = ${issuer.uuid} for update`)
      const first = post(path, key, options)
      await until('the first runs', async () => (await state(key)).body.status === 'in_progress')
      const retry = await post(path, key, options, retryService)
      const seen = await state(key, retryService)
      await database.run(sql`rollback`)
      const original = await first
      assertRefused(retry, 'conflict', 'request_in_progress')
      assert.deepEqual(seen.body, { status: 'in_progress' })
      assert.equal(original.status, 201)
      assertReplay(original, await post(path, key, options, retryService))
    })
  }

  test('4.2.7 exactly one of 20 concurrent calls with one key runs', async () => {
    const key = freshIdempotencyKey()
    const before = await documentCount()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => post('/v1/documents', key, { body: create })),
    )
    const isRun = ({ status, headers }: Reply) =>
      status === 201 && !headers.has('idempotent-replay')
    const ran = replies.filter(isRun)
    assert.equal(ran.length, 1)
    for (const reply of replies) {
      if (reply.status === 201) assert.equal(reply.text, ran[0]!.text)
      else assertRefused(reply, 'conflict', 'request_in_progress')
    }
    assert.equal(await documentCount(), before + 1)
  })
})

describe('contract 5', () => {
  test('5.1 an Idempotency-Key belongs to its organization: its other keys replay, foreign ones run', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    const { secret } = await aKey(running, issuer, ['documents:write'])
    assertReplay(original, await post('/v1/documents', key, { key: secret, body: create }))
    const theirs = await post('/v1/documents', key, { key: counterparty.key, body: create })
    assert.equal(theirs.status, 201)
    assert.notEqual(theirs.body.id, original.body.id)
  })

  test('5.1 a key without the scope to write cannot replay', async () => {
    const key = freshIdempotencyKey()
    await post('/v1/documents', key, { body: create })
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const reply = await post('/v1/documents', key, { key: secret, body: create })
    assertRefused(reply, 'insufficient_scope')
  })

  test('5.5 a replay answers the original response, even in a second process', async () => {
    const { id } = await anInvoice(running, pair)
    const path = `/v1/documents/${id}/transition`
    const key = freshIdempotencyKey()
    const options = { key: counterparty.key, body: { to: 'disputed', reason_code: 'PRI' } }
    const disputed = await post(path, key, options)
    assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
    assertReplay(disputed, await post(path, key, options, await running.startAnother()))
  })

  test('5.6 the replay of a mint shows the same secret, and no table contains it', async () => {
    const key = freshIdempotencyKey()
    const body = { name: 'Sealed', scopes: ['documents:read'] }
    const minted = await post('/v1/keys', key, { key: issuer.session, body })
    assert.equal(minted.status, 201)
    assertReplay(minted, await post('/v1/keys', key, { key: issuer.session, body }))
    const rotateKey = freshIdempotencyKey()
    const path = `/v1/keys/${minted.body.id}/rotate`
    const rotated = await post(path, rotateKey, { key: issuer.session })
    assertReplay(rotated, await post(path, rotateKey, { key: issuer.session }))
    assert.notDeepEqual(
      await tablesContaining(database, minted.body.prefix),
      [],
      'the search finds stored text',
    )
    for (const secret of [minted.body.key, rotated.body.key, key, rotateKey]) {
      assert.deepEqual(await tablesContaining(database, secret), [])
      assert(!running.logLines.join('').includes(secret), 'the log does not contain it')
    }
  })

  test('5.8 a dry run stores nothing, shows no secret and leaves the key unused', async () => {
    const name = 'Nothing but a dry run'
    const key = freshIdempotencyKey()
    const body = { name, scopes: ['documents:read'] }
    const headers = { 'idempotency-key': key, 'svc-dry-run': 'true' }
    const dry = await callApi(running, 'POST', '/v1/keys', { key: issuer.session, body, headers })
    assert.deepEqual([dry.status, dry.body.key, dry.body.name], [200, null, name])
    assert.equal(dry.headers.get('svc-dry-run'), 'true')
    assert.deepEqual(await tablesContaining(database, name), [])
    assert.deepEqual((await state(key)).body, { status: 'unknown' })
    const real = await post('/v1/keys', key, { key: issuer.session, body })
    assert.equal(real.status, 201)
    assert.match(real.body.key, /^rk_test_/)
  })

  test('contract 4: GET /v1/idempotency/{key} names the record and the request of a success', async () => {
    const key = freshIdempotencyKey()
    const original = await post('/v1/documents', key, { body: create })
    assert.deepEqual((await state(key)).body, {
      status: 'succeeded',
      resource_id: original.body.id,
      request_id: original.headers.get('request-id'),
    })
    const stranger = await anOrganization(running)
    const foreign = await callApi(running, 'GET', `/v1/idempotency/${key}`, { key: stranger.key })
    assert.deepEqual(foreign.body, { status: 'unknown' })
    assertRefused(await state('short'), 'invalid_request')
  })
})

const state = (key: string, at: TestService = running): Promise<Reply> =>
  callApi(at, 'GET', `/v1/idempotency/${key}`, { key: issuer.key })
