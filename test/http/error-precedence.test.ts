/**
 * The order of refusals (contract 2): a request with two neighbouring errors gets the earlier one.
 * Every response carries the common headers (contract 1).
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import {
  assertCommonHeaders,
  assertProblems,
  assertRefused,
} from '../support/http/error-responses.ts'
import {
  type RequestOptions,
  type Reply,
  callApi,
  freshIdempotencyKey,
} from '../support/api-client.ts'
import { aDraft, aKey, exampleLine, anInvoice, move } from '../support/fixtures.ts'
import type { TestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { rawRequest, sendBytes } from '../support/http/raw-http.ts'

const { running, database, pair, issuer, counterparty, connection } = await startTradingPair()
const proxied = { TRUSTED_PROXIES: '127.0.0.1' }
const limited = await running.startAnother({ ...proxied, RATE_LIMITS: 'sec=1000,min=2' })
const withoutFamilies = await running.startAnother({ FAMILIES: 'enablement' })
const withoutPayments = await running.startAnother({ FAMILIES: 'documents' })

const create = { connection_id: connection, document_type: 'invoice', line_items: [exampleLine] }
const tooLarge = Buffer.alloc(1024 * 1024 + 1, 0x20)
const missingDocument = `doc_${'0'.repeat(26)}`

const post = (path: string, options: RequestOptions, at: TestService = running): Promise<Reply> =>
  callApi(at, 'POST', path, { key: issuer.key, ...options })

/** A key that is allowed from one address and has used up its rate limit there. */
const exhaustRateLimit = async (): Promise<{
  secret: string
  from: (address: string) => RequestOptions
}> => {
  const { secret } = await aKey(running, issuer, ['documents:read'], {
    allowedCidrs: ['203.0.113.7/32'],
  })
  const from = (address: string) => ({ key: secret, headers: { 'x-forwarded-for': address } })
  for (const _ of [1, 2]) {
    assert.equal((await callApi(limited, 'GET', '/v1/documents', from('203.0.113.7'))).status, 200)
  }
  return { secret, from }
}

describe('contract 2: the order of refusals', () => {
  test('malformed HTTP is refused before credentials are checked', async () => {
    const broken = await sendBytes(running, rawRequest('GET /v1/me', ['No colon in this header']))
    assertRefused(broken, 'invalid_request')
    const twice = rawRequest('GET /v1/me', ['Authorization: Bearer a', 'Authorization: Bearer b'])
    assertProblems(await sendBytes(running, twice), 'Authorization invalid_value')
  })

  test('a public operation ignores credentials', async () => {
    const reply = await callApi(running, 'GET', '/v1/enablement', { key: 'nonsense' })
    assert.equal(reply.status, 200)
  })

  test('credentials are checked before the address: a revoked key from a wrong address gets 401', async () => {
    const { secret, keyId } = await aKey(running, issuer, ['documents:read'], {
      allowedCidrs: ['203.0.113.7/32'],
    })
    const get = () => callApi(running, 'GET', '/v1/documents', { key: secret })
    assertRefused(await get(), 'forbidden')
    await post(`/v1/keys/${keyId}/revoke`, { key: issuer.session })
    assertRefused(await get(), 'unauthorized')
  })

  test('the address is checked before the rate: an exhausted key from a wrong address gets 403', async () => {
    const { from } = await exhaustRateLimit()
    const details = assertRefused(
      await callApi(limited, 'GET', '/v1/documents', from('203.0.113.8')),
      'forbidden',
    )
    assert.deepEqual(details, { address: '203.0.113.8' }, 'never the allowed ranges')
  })

  test('the rate is checked before route and method: an exhausted key gets 429', async () => {
    const { from } = await exhaustRateLimit()
    const path = await callApi(limited, 'GET', '/v1/nothing', from('203.0.113.7'))
    assert.deepEqual(
      { ...assertRefused(path, 'rate_limited'), retry_after_seconds: 0 },
      { policy: 'min', limit: 2, window_seconds: 60, retry_after_seconds: 0 },
    )
    assert.equal(path.headers.get('retry-after'), `${path.body.error.details.retry_after_seconds}`)
    const method = await callApi(limited, 'DELETE', '/v1/documents', from('203.0.113.7'))
    assertRefused(method, 'rate_limited')
  })

  test('route 404 and method 405 are checked before the size', async () => {
    const path = await post('/v1/nothing', { raw: tooLarge })
    assert.deepEqual(assertRefused(path, 'not_found'), { resource: 'route', id: '/v1/nothing' })
    const method = await callApi(running, 'DELETE', '/v1/documents', {
      key: issuer.key,
      raw: tooLarge,
    })
    assertRefused(method, 'method_not_allowed')
  })

  test('the size is checked before the family', async () => {
    const reply = await post('/v1/documents', { raw: tooLarge }, withoutFamilies)
    assert.deepEqual(assertRefused(reply, 'payload_too_large'), { limit_bytes: 1024 * 1024 })
  })

  test('the family is checked before the scope', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const reply = await post('/v1/documents', { key: secret, body: create }, withoutFamilies)
    assert.deepEqual(assertRefused(reply, 'not_enabled'), { family: 'documents' })
  })

  test('the scope is checked before the Idempotency-Key', async () => {
    const { secret } = await aKey(running, issuer, ['documents:read'])
    const headers = { 'idempotency-key': '' }
    const reply = await post('/v1/documents', { key: secret, body: create, headers })
    assertRefused(reply, 'insufficient_scope')
  })

  test('the Idempotency-Key is checked before the media type', async () => {
    const headers = { 'idempotency-key': '', 'content-type': 'text/plain' }
    const reply = await post('/v1/documents', { raw: '{}', headers })
    assertProblems(reply, 'Idempotency-Key missing_header')
  })

  test('the media type is checked before the JSON', async () => {
    const reply = await post('/v1/documents', {
      raw: '{',
      headers: { 'content-type': 'text/plain' },
    })
    assertRefused(reply, 'unsupported_media_type')
  })

  test('the JSON is checked before the family that the body requires', async () => {
    const { id } = await anInvoice(running, pair)
    const reply = await post(`/v1/documents/${id}/transition`, { raw: '{"to":"paid","to":"paid"}' })
    assertProblems(reply, '/to invalid_value')
  })

  test('the family that the body requires is checked before its scope', async () => {
    const { id } = await anInvoice(running, pair)
    const { secret } = await aKey(running, counterparty, ['documents:write'])
    const reply = await move(withoutPayments, secret, id, 'paid')
    assert.deepEqual(assertRefused(reply, 'not_enabled'), { family: 'payments' })
    assert.match(reply.body.error.message, /^The payments family is not enabled in this deployment/)
  })

  test('the family that the body requires is checked before idempotency_conflict', async () => {
    const { id } = await anInvoice(running, pair)
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    assert.equal((await move(running, counterparty.key, id, 'approved')).status, 200)
    await post('/v1/documents', { key: counterparty.key, body: create, headers })
    const path = `/v1/documents/${id}/transition`
    const options = { key: counterparty.key, body: { to: 'paid' }, headers }
    assertRefused(await post(path, options, withoutPayments), 'not_enabled')
  })

  test('idempotency_conflict is checked before the schema', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    assert.equal((await post('/v1/documents', { body: create, headers })).status, 201)
    const reply = await post('/v1/documents?nonsense=1', { body: { nonsense: true }, headers })
    assertRefused(reply, 'idempotency_conflict')
  })

  test('idempotency_conflict is checked before the record', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    assert.equal((await post('/v1/documents', { body: create, headers })).status, 201)
    for (const id of [missingDocument, 'nonsense']) {
      assertRefused(await post(`/v1/documents/${id}/issue`, { headers }), 'idempotency_conflict')
    }
  })

  test('the schema is checked before the record', async () => {
    for (const id of [missingDocument, 'nonsense']) {
      const reply = await post(`/v1/documents/${id}/transition`, { body: {} })
      assertProblems(reply, '/to required')
    }
  })

  test('the record is checked before If-Match', async () => {
    const headers = { 'if-match': '"7"' }
    assertRefused(await post(`/v1/documents/${missingDocument}/issue`, { headers }), 'not_found')
  })

  test('If-Match is checked before the state', async () => {
    const { id } = await anInvoice(running, pair)
    const reply = await post(`/v1/documents/${id}/issue`, { headers: { 'if-match': '"7"' } })
    assert.deepEqual(assertRefused(reply, 'precondition_failed'), { current_revision: 2 })
  })
})

describe('contract 1: headers and envelope of every response', () => {
  test('an unknown path gets 404, an unknown method of a known path 405 with Allow', async () => {
    const { key } = issuer
    assertRefused(await callApi(running, 'GET', '/v1/nothing', { key }), 'not_found')
    assertRefused(await callApi(running, 'GET', '/v1/documents/', { key }), 'not_found')
    for (const [method, path, allow] of [
      ['DELETE', '/v1/documents', 'GET, HEAD, POST'],
      ['PUT', `/v1/documents/${missingDocument}`, 'GET, HEAD, PATCH'],
      ['GET', `/v1/documents/${missingDocument}/issue`, 'POST'],
      ['HEAD', `/v1/documents/${missingDocument}/issue`, 'POST'],
      ['OPTIONS', '/v1/keys', 'GET, HEAD, POST'],
      ['POST', '/v1/enablement', 'GET, HEAD'],
    ] as const) {
      const reply = await callApi(running, method, path, { key })
      assert.deepEqual(
        [reply.status, reply.headers.get('allow')],
        [405, allow],
        `${method} ${path}`,
      )
      assertCommonHeaders(reply)
      if (method !== 'HEAD') assertRefused(reply, 'method_not_allowed')
    }
  })

  test('an unknown path requires credentials first', async () => {
    assertRefused(await callApi(running, 'GET', '/v1/nothing'), 'unauthorized')
    assertRefused(await callApi(running, 'DELETE', '/v1/documents'), 'unauthorized')
  })

  test('success, 304, replay, dry run and public responses carry the common headers', async () => {
    const headers = { 'idempotency-key': freshIdempotencyKey() }
    const created = await post('/v1/documents', { body: create, headers })
    const path = `/v1/documents/${created.body.id}`
    const read = { key: issuer.key, headers: { 'if-none-match': created.headers.get('etag')! } }
    const replies: [Reply, number][] = [
      [created, 201],
      [await post('/v1/documents', { body: create, headers }), 201],
      [await post('/v1/documents', { body: create, headers: { 'svc-dry-run': 'true' } }), 200],
      [await callApi(running, 'GET', path, read), 304],
      [await callApi(running, 'GET', '/v1/enablement'), 200],
    ]
    for (const page of ['/v1/docs', '/v1/docs.md', '/llms.txt', '/healthz', '/readyz']) {
      replies.push([await callApi(running, 'GET', page), 200])
    }
    for (const [reply, status] of replies) {
      assert.equal(reply.status, status, reply.text)
      assertCommonHeaders(reply)
      assert.equal(reply.headers.has('svc-should-retry'), false)
    }
    const ids = replies.map(([{ headers: sent }]) => sent.get('request-id'))
    assert.equal(new Set(ids).size, ids.length, 'each response has its own Request-Id')
  })

  test('RateLimit counts down separately for each key', async () => {
    const remaining = async (key: string) => {
      const { headers } = await callApi(running, 'GET', '/v1/me', { key })
      return Number(/"min";r=(\d+)/.exec(headers.get('ratelimit')!)![1])
    }
    const { secret } = await aKey(running, issuer, ['documents:read'])
    assert.equal((await remaining(secret)) - (await remaining(secret)), 1)
    const other = await aKey(running, issuer, ['documents:read'])
    assert.equal(await remaining(other.secret), 2999)
  })

  test('docs_url points at an existing anchor', async () => {
    const page = (await callApi(running, 'GET', '/v1/docs')).text
    const { docs_url } = (await callApi(running, 'GET', '/v1/me')).body.error
    assert.equal(docs_url.split('#')[0], `http://localhost:${running.service.port}/v1/docs`)
    assert(page.includes(`id="${docs_url.split('#')[1]}"`), docs_url)
  })

  test('internal_error shows no detail of the failure, but the log does', async () => {
    await database.run(sql`alter table keys rename to keys_elsewhere`)
    try {
      const reply = await callApi(running, 'GET', '/v1/keys', { key: issuer.session })
      assertRefused(reply, 'internal_error')
      assert.doesNotMatch(reply.text, /keys|relation|select/)
      await until('the failure is logged', () => running.logLines.join().includes('internal_error'))
    } finally {
      await database.run(sql`alter table keys_elsewhere rename to keys`)
    }
  })

  test('request_in_progress may be retried after 1 s, and the first request completes', async () => {
    let replies: Reply[] = []
    // On a busy machine, one has waited for the lock as long as it may before the other comes.
    await until('one comes while the other waits', async () => {
      const issue = `/v1/documents/${(await aDraft(running, pair)).id}/issue`
      const headers = { 'idempotency-key': freshIdempotencyKey() }
      await database.run(sql`begin`)
      await database.run(sql`
        select from organization_counters where organization_id = ${issuer.uuid} for update`)
      const both = [post(issue, { headers }), post(issue, { headers })]
      await Promise.race(both)
      await database.run(sql`rollback`)
      replies = (await Promise.all(both)).toSorted((one, other) => one.status - other.status)
      return replies.every(({ status }) => status !== 503)
    })
    assert.equal(replies[0]!.status, 200)
    assertRefused(replies[1]!, 'conflict', 'request_in_progress')
  })
})
