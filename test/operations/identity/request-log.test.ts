/** The request log: its entries, filters and pages, and the count of lost entries. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { firstUuidAt } from '../../../src/core/ids.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { limits } from '../../../src/contract/limits.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import { callApi, freshIdempotencyKey } from '../../support/api-client.ts'
import { allPages } from '../../support/http/all-pages.ts'
import { type TestOrganization, aKey, anOrganization } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'

// Writes no service log line per request, as in production.
const running = await startTestService({ LOG_CALLS: '0' })
const { context } = running.service

interface LoggedRequest {
  id: string
  method: string
  path: string
  status: number
  error_code: string | null
  key_id: string | null
  idempotency_key: string | null
  created_at: string
}

const loggedRequests = async (
  { session }: Pick<TestOrganization, 'session'>,
  query = '',
): Promise<LoggedRequest[]> =>
  (await callApi(running, 'GET', `/v1/requests${query}`, { key: session })).body.data

/** The entry of this response, once it has been written. */
const entryOf = async (
  owner: TestOrganization,
  { headers }: { headers: Headers },
): Promise<LoggedRequest> => {
  let entry: LoggedRequest | undefined
  await until('the call is in the log', async () => {
    entry = (await loggedRequests(owner, '?limit=100')).find(
      ({ id }) => id === headers.get('request-id'),
    )
    return entry !== undefined
  })
  return entry!
}

/** Inserts old rows directly; the oldest has another status. */
const insertLoggedRequests = (owner: TestOrganization, count: number) =>
  running.database.run(sql`
    insert into requests (organization_id, id, method, path, status, duration_ms)
    select ${owner.uuid}, overlay(${firstUuidAt(Date.now() - 86_400_000)} placing
        lpad(to_hex(n), 12, '0') from 25)::uuid,
      'GET', '/v1/documents', case n when 1 then 418 else 200 end, 1
    from generate_series(1, ${count}::bigint) n`)

describe('an entry of the request log', () => {
  test('an entry records caller, path and status, and no value of the query or the body', async () => {
    const owner = await anOrganization(running)
    const idempotencyKey = freshIdempotencyKey()
    const refused = await callApi(running, 'POST', '/v1/documents?query=hidden', {
      key: owner.key,
      body: { notes: 'hidden' },
      headers: { 'idempotency-key': idempotencyKey },
    })
    const entry = await entryOf(owner, refused)
    const { created_at, duration_ms: _, ...rest } = entry as LoggedRequest & { duration_ms: number }
    assert.deepEqual(rest, {
      user_id: null,
      address: '127.0.0.1',
      original_request_id: null,
      document_id: null,
      event_ids: [],
      id: refused.headers.get('request-id'),
      method: 'POST',
      path: '/v1/documents',
      status: 400,
      error_code: 'invalid_request',
      key_id: owner.keyId,
      idempotency_key: idempotencyKey,
    })
    assert(Math.abs(Date.parse(created_at) - Date.now()) < 20_000)
    const rows = await running.database.rows(sql`select requests::text as row from requests`)
    assert.doesNotMatch(JSON.stringify(rows), /hidden/)
  })

  test('unknown paths and refused addresses are logged; anonymous calls and sign-in are not', async () => {
    const owner = await anOrganization(running)
    const { secret } = await aKey(running, owner, ['documents:read'], {
      allowedCidrs: ['203.0.113.0/24'],
    })
    const elsewhere = await callApi(running, 'GET', '/v1/documents', { key: secret })
    assert.equal((await entryOf(owner, elsewhere)).status, 403)
    const unknown = await callApi(running, 'GET', `/v1/${'x'.repeat(1000)}`, { key: owner.key })
    assert.equal((await entryOf(owner, unknown)).path.length, limits.requestPathMaxLength)
    await callApi(running, 'GET', '/v1/documents')
    await callApi(running, 'GET', '/auth/session', { key: owner.session })
    const marker = await callApi(running, 'GET', '/v1/me', { key: owner.key })
    await entryOf(owner, marker)
    const paths = (await loggedRequests(owner)).map(({ path }) => path)
    assert(!paths.includes('/auth/session'))
  })

  test('the Idempotency-Key of a response that holds a secret is not recorded', async () => {
    const owner = await anOrganization(running)
    const body = { name: 'New', scopes: ['documents:read'] }
    const created = await callApi(running, 'POST', '/v1/keys', { key: owner.session, body })
    assert.equal(created.status, 201)
    const entry = await entryOf(owner, created)
    assert.equal(entry.idempotency_key, null)
    assert.equal(entry.key_id, null, 'a session has no key')
  })
})

test('a credential in a path or an Idempotency-Key is masked in the request log and the service log', async () => {
  const verbose = await startTestService()
  const owner = await anOrganization(verbose)
  let requestLog = ''
  for (const secret of [owner.key, owner.session]) {
    for (const sent of [secret, secret.replace('r', '%72'), secret.replace('_', '%255f')]) {
      await callApi(verbose, 'GET', `/v1/documents/${sent}`, { key: owner.key })
    }
    const headers = { 'idempotency-key': secret }
    await callApi(verbose, 'POST', '/v1/documents', { key: owner.key, body: {}, headers })
  }
  await until('the calls are in the log', async () => {
    const { body } = await callApi(verbose, 'GET', `/v1/requests?key=${owner.keyId}`, {
      key: owner.session,
    })
    requestLog = JSON.stringify(body)
    return requestLog.includes('"rs_test_…"')
  })
  const lines = verbose.logLines.join('')
  for (const text of [requestLog, lines]) {
    assert(text.includes(`/v1/documents/${owner.key.slice(0, 20)}…`), text)
    assert(!text.includes(owner.key.slice(20)) && !text.includes(owner.session.slice(8)))
  }
})

describe('the list of requests', () => {
  test('only an admin may list requests', async () => {
    const owner = await anOrganization(running)
    const reply = await callApi(running, 'GET', '/v1/requests', { key: owner.key })
    assertRefused(reply, 'insufficient_scope')
  })

  test('the list filters by key, status, path and since, with comma-separated values', async () => {
    const owner = await anOrganization(running)
    const other = await aKey(running, owner, ['documents:read'])
    const listed = await callApi(running, 'GET', '/v1/documents', { key: other.secret })
    const missing = await callApi(running, 'GET', '/v1/documents/doc_x', { key: owner.key })
    const me = await callApi(running, 'GET', '/v1/me', { key: owner.key })
    for (const reply of [listed, missing, me]) await entryOf(owner, reply)
    const matching = async (query: string) =>
      (await loggedRequests(owner, query)).map(({ path, status }) => `${path} ${status}`)
    const all = ['/v1/me 200', '/v1/documents/doc_x 404', '/v1/documents 200']
    assert.deepEqual(await matching(`?key=${other.keyId}`), [all[2]])
    assert.deepEqual(await matching(`?key=${other.keyId},${owner.keyId}`), all)
    assert.deepEqual(await matching('?status=404,409'), [all[1]])
    assert.deepEqual(await matching('?path=/v1/documents'), [all[2]])
    assert.deepEqual(await matching('?path=/v1/documents*'), [all[1], all[2]])
    const since = (await entryOf(owner, missing)).created_at
    const recent = await matching(`?since=${since}&key=${owner.keyId},${other.keyId}`)
    assert(recent.includes(all[0]!) && recent.includes(all[1]!))
    assert.deepEqual(await matching('?since=2100-01-01'), [])
    assert.deepEqual(await matching('?until=0001-01-01'), [])
    const wrong = await callApi(running, 'GET', '/v1/requests?status=4xx', { key: owner.session })
    assertProblems(wrong, 'status wrong_type')
  })

  test('pages are disjoint and complete, and a page of a rare filter may be short', async () => {
    const owner = await anOrganization(running)
    await insertLoggedRequests(owner, limits.listScanMaxRows + 50)
    const first = await callApi(running, 'GET', '/v1/requests?status=418', { key: owner.session })
    assert.deepEqual([first.body.data, first.body.has_more], [[], true])
    const rest = `/v1/requests?status=418&cursor=${first.body.next_cursor}`
    const second = await callApi(running, 'GET', rest, { key: owner.session })
    assert.deepEqual([second.body.data.length, second.body.next_cursor], [1, null])

    const rows = await allPages(running, owner.session, '/v1/requests?limit=100')
    assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length, 'no row is listed twice')
    assert(rows.length >= limits.listScanMaxRows + 50)
  })
})

describe('lost entries are counted', () => {
  const lost = (reason: string): number => {
    const form = new RegExp(`docex_request_log_lost_total\\{reason="${reason}"\\} (\\d+)`)
    return Number(form.exec(context.metrics.text())?.[1] ?? 0)
  }
  const entry = (organization: string) => ({
    organization_id: organization,
    id: newId(),
    method: 'GET',
    path: '/v1/me',
    status: 200,
    duration_ms: 1,
    key_id: null,
    idempotency_key: null,
    error: null,
    user_id: null,
    address: null,
    original_request_id: null,
    document_id: null,
    event_ids: null,
  })
  const written = async (organization: string): Promise<number> => {
    const [row] = await running.database.rows<{ count: bigint }>(
      sql`select count(*) as count from requests where organization_id = ${organization}`,
    )
    return Number(row!.count)
  }

  test('entries beyond the size of the buffer are lost', async () => {
    const { uuid } = await anOrganization(running)
    for (let i = 0; i < limits.requestLogBufferMax + 3; i += 1)
      context.logRequest(uuid, () => entry(uuid))
    assert(lost('buffer_full') >= 3)
    await until('the others are written', async () => (await written(uuid)) > 0)
    assert((await written(uuid)) <= limits.requestLogBufferMax)
  })

  test('entries beyond an organization’s share of a minute are lost, and other shares are unaffected', async () => {
    const [greedy, modest] = [await anOrganization(running), await anOrganization(running)]
    let attempts = 0
    while (lost('organization_cap') === 0) {
      const before = lost('buffer_full')
      context.logRequest(greedy.uuid, () => entry(greedy.uuid))
      attempts += 1
      // A full buffer is written by the next flush.
      if (lost('buffer_full') > before) {
        const reached = await written(greedy.uuid)
        await until('there is room', async () => (await written(greedy.uuid)) > reached)
      }
    }
    assert(attempts > limits.requestLogPerOrganizationMax)
    context.logRequest(modest.uuid, () => entry(modest.uuid))
    await until('the modest one is written', async () => (await written(modest.uuid)) === 1)
    assert((await written(greedy.uuid)) <= limits.requestLogPerOrganizationMax)
  })

  test('entries whose write fails are lost', async () => {
    const { uuid } = await anOrganization(running)
    const duplicate = entry(uuid)
    const before = lost('not_written')
    context.logRequest(uuid, () => duplicate)
    context.logRequest(uuid, () => duplicate)
    await until('the failed write is counted', () => lost('not_written') === before + 2)
    assert(running.logLines.some((line) => line.includes('requests_not_written')))
  })
})
