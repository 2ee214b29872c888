/** The log of calls: what is in it, who reads it, its filters and pages, and what is lost. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { firstUuidAt } from '../../../src/core/ids.ts'
import { newId } from '../../../src/database/new-ids.ts'
import { sql } from '../../../src/database/sql.ts'
import { purgeExpired } from '../../../src/tasks/purge-expired.ts'
import { limits } from '../../../src/contract/limits.ts'
import { assertProblems, assertRefused } from '../../support/http/error-responses.ts'
import {
  type TestOrganization,
  type Reply,
  aKey,
  anOrganization,
  callApi,
  freshIdempotencyKey,
  startTestService,
  until,
} from '../../support/service.ts'

// Without a line per call on standard error, as in production.
const running = await startTestService({ LOG_CALLS: '0' })
const { context } = running.service

interface LoggedRequest {
  id: string
  method: string
  path: string
  status: number
  key_id: string | null
  idempotency_key: string | null
  created_at: string
}

const loggedRequests = async (
  { session }: Pick<TestOrganization, 'session'>,
  query = '',
): Promise<LoggedRequest[]> =>
  (await callApi(running, 'GET', `/v1/requests${query}`, { key: session })).body.data

/** The entry of a call that was answered. */
const entryOf = async (
  owner: TestOrganization,
  { headers }: { headers: Headers },
): Promise<LoggedRequest> => {
  let found: LoggedRequest | undefined
  await until('the call is in the log', async () => {
    found = (await loggedRequests(owner, '?limit=100')).find(
      ({ id }) => id === headers.get('request-id'),
    )
    return found !== undefined
  })
  return found!
}

/** Old rows of the log, as if they had been written; the oldest has another status. */
const insertLoggedRequests = (owner: TestOrganization, count: number) =>
  running.database.run(sql`
    insert into requests (organization_id, id, method, path, status, duration_ms)
    select ${owner.uuid}, (lpad(to_hex(1700000000000 * 65536 + n), 16, '0') || repeat('8', 16))::uuid,
      'GET', '/v1/documents', case n when 1 then 418 else 200 end, 1
    from generate_series(1, ${count}::bigint) n`)

describe('an entry', () => {
  test('says who called what and how it was answered, and nothing of query or body', async () => {
    const owner = await anOrganization(running)
    const idempotencyKey = freshIdempotencyKey()
    const refused = await callApi(running, 'POST', '/v1/documents?secret=query', {
      key: owner.key,
      body: { secret: 'body' },
      headers: { 'idempotency-key': idempotencyKey },
    })
    const entry = await entryOf(owner, refused)
    const { created_at, duration_ms: _, ...rest } = entry as LoggedRequest & { duration_ms: number }
    assert.deepEqual(rest, {
      id: refused.headers.get('request-id'),
      method: 'POST',
      path: '/v1/documents',
      status: 400,
      key_id: owner.keyId,
      idempotency_key: idempotencyKey,
    })
    assert(Math.abs(Date.parse(created_at) - Date.now()) < 20_000)
    const rows = await running.database.rows(sql`select requests::text as row from requests`)
    assert.doesNotMatch(JSON.stringify(rows), /secret/)
  })

  test('is made for unknown paths and refused addresses too, not for strangers or sign-in', async () => {
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

  test('does not keep the Idempotency-Key that opens an answer with a secret', async () => {
    const owner = await anOrganization(running)
    const body = { name: 'New', scopes: ['documents:read'] }
    const made = await callApi(running, 'POST', '/v1/keys', { key: owner.session, body })
    assert.equal(made.status, 201)
    const entry = await entryOf(owner, made)
    assert.equal(entry.idempotency_key, null)
    assert.equal(entry.key_id, null, 'a session has no key')
  })
})

test('a credential in a path or an Idempotency-Key is masked in the log of calls and in every line', async () => {
  const loud = await startTestService()
  const owner = await anOrganization(loud)
  const kept: string[] = []
  for (const secret of [owner.key, owner.session]) {
    const path = `/v1/documents/${secret}`
    await callApi(loud, 'GET', path, { key: owner.key })
    const headers = { 'idempotency-key': secret }
    await callApi(loud, 'POST', '/v1/documents', { key: owner.key, body: {}, headers })
  }
  await until('the calls are in the log', async () => {
    const { body } = await callApi(loud, 'GET', `/v1/requests?key=${owner.keyId}`, {
      key: owner.session,
    })
    kept.splice(0, kept.length, JSON.stringify(body))
    return kept[0]!.includes('"rs_test_…"')
  })
  const lines = loud.logLines.join('')
  for (const text of [kept[0]!, lines]) {
    assert(text.includes(`/v1/documents/${owner.key.slice(0, 20)}…`), text)
    assert(!text.includes(owner.key.slice(20)) && !text.includes(owner.session.slice(8)))
  }
})

describe('the list', () => {
  test('is for admins', async () => {
    const owner = await anOrganization(running)
    const reply = await callApi(running, 'GET', '/v1/requests', { key: owner.key })
    assertRefused(reply, 'insufficient_scope')
  })

  test('takes key, status, path and since, several values in a comma list', async () => {
    const owner = await anOrganization(running)
    const other = await aKey(running, owner, ['documents:read'])
    const listed = await callApi(running, 'GET', '/v1/documents', { key: other.secret })
    const missing = await callApi(running, 'GET', '/v1/documents/doc_x', { key: owner.key })
    const me = await callApi(running, 'GET', '/v1/me', { key: owner.key })
    for (const reply of [listed, missing, me]) await entryOf(owner, reply)
    const found = async (query: string) =>
      (await loggedRequests(owner, query)).map(({ path, status }) => `${path} ${status}`)
    const all = ['/v1/me 200', '/v1/documents/doc_x 404', '/v1/documents 200']
    assert.deepEqual(await found(`?key=${other.keyId}`), [all[2]])
    assert.deepEqual(await found(`?key=${other.keyId},${owner.keyId}`), all)
    assert.deepEqual(await found('?status=404,409'), [all[1]])
    assert.deepEqual(await found('?path=/v1/documents'), [all[2]])
    assert.deepEqual(await found('?path=/v1/documents*'), [all[1], all[2]])
    const since = (await entryOf(owner, missing)).created_at
    const recent = await found(`?since=${since}&key=${owner.keyId},${other.keyId}`)
    assert(recent.includes(all[0]!) && recent.includes(all[1]!))
    assert.deepEqual(await found('?since=2100-01-01'), [])
    const wrong = await callApi(running, 'GET', '/v1/requests?status=4xx', { key: owner.session })
    assertProblems(wrong, 'status wrong_type')
  })

  test('pages are disjoint and complete, and with a rare filter short', async () => {
    const owner = await anOrganization(running)
    await insertLoggedRequests(owner, limits.listScanMaxRows + 50)
    const first = await callApi(running, 'GET', '/v1/requests?status=418', { key: owner.session })
    assert.deepEqual([first.body.data, first.body.has_more], [[], true])
    const rest = `/v1/requests?status=418&cursor=${first.body.next_cursor}`
    const second = await callApi(running, 'GET', rest, { key: owner.session })
    assert.deepEqual([second.body.data.length, second.body.next_cursor], [1, null])

    const seen = new Set<string>()
    let query: string | null = '?limit=100'
    while (query !== null) {
      const page: Reply = await callApi(running, 'GET', `/v1/requests${query}`, {
        key: owner.session,
      })
      const { body } = page
      for (const { id } of body.data) {
        assert(!seen.has(id), 'twice')
        seen.add(id)
      }
      query = body.next_cursor === null ? null : `?limit=100&cursor=${body.next_cursor}`
    }
    assert(seen.size >= limits.listScanMaxRows + 50)
  })
})

describe('what is lost is counted', () => {
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
    key_id: null,
    duration_ms: 1,
    idempotency_key: null,
  })
  const written = async (organization: string): Promise<number> => {
    const [row] = await running.database.rows<{ count: bigint }>(
      sql`select count(*) as count from requests where organization_id = ${organization}`,
    )
    return Number(row!.count)
  }

  test('one more than the buffer holds, in one turn', async () => {
    const { uuid } = await anOrganization(running)
    for (let i = 0; i < limits.requestLogBufferMax + 3; i += 1)
      context.logRequest(uuid, () => entry(uuid))
    assert(lost('buffer_full') >= 3)
    await until('the others are written', async () => (await written(uuid)) > 0)
    assert((await written(uuid)) <= limits.requestLogBufferMax)
  })

  test('more than one organization’s share of a minute; the others keep theirs', async () => {
    const [greedy, modest] = [await anOrganization(running), await anOrganization(running)]
    let noted = 0
    while (lost('organization_cap') === 0) {
      const before = lost('buffer_full')
      context.logRequest(greedy.uuid, () => entry(greedy.uuid))
      noted += 1
      // A full buffer is written by the next flush.
      if (lost('buffer_full') > before) {
        const reached = await written(greedy.uuid)
        await until('there is room', async () => (await written(greedy.uuid)) > reached)
      }
    }
    assert(noted > limits.requestLogPerOrganizationMax)
    context.logRequest(modest.uuid, () => entry(modest.uuid))
    await until('the modest one is written', async () => (await written(modest.uuid)) === 1)
    assert((await written(greedy.uuid)) <= limits.requestLogPerOrganizationMax)
  })

  test('what could not be written', async () => {
    const { uuid } = await anOrganization(running)
    const twice = entry(uuid)
    const before = lost('not_written')
    context.logRequest(uuid, () => twice)
    context.logRequest(uuid, () => twice)
    await until('the failed write is counted', () => lost('not_written') === before + 2)
    assert(running.logLines.some((line) => line.includes('requests_not_written')))
  })
})

test('calls older than 30 days, ended sessions and links are purged; others are not', async () => {
  const owner = await anOrganization(running)
  const { database } = running
  const ids = [31, 29].map((days) => firstUuidAt(Date.now() - days * 86_400_000))
  for (const id of ids) {
    await database.run(sql`
      insert into requests (organization_id, id, method, path, status, duration_ms)
      values (${owner.uuid}, ${id}, 'GET', '/v1/me', 200, 1)`)
  }
  const ended = newId()
  await database.run(sql`
    insert into sessions select ${ended}, user_id, organization_id, mode, 'ended', created_at,
      now() - interval '1 second', null from sessions where organization_id = ${owner.uuid}`)
  await database.run(sql`
    insert into sign_in_links values ('late', ${owner.userId}, now() - interval '1 second', null),
      ('open', ${owner.userId}, now() + interval '1 hour', null)`)
  while (await purgeExpired.run(context));
  const kept = await database.rows<{ id: string }>(
    sql`select id from requests where organization_id = ${owner.uuid} and id = any(${ids})`,
  )
  assert.deepEqual(kept, [{ id: ids[1] }])
  const sessions = await database.rows<{ id: string }>(
    sql`select id from sessions where organization_id = ${owner.uuid}`,
  )
  assert(sessions.length === 1 && sessions[0]!.id !== ended)
  const links = await database.rows(
    sql`select hash from sign_in_links where user_id = ${owner.userId}`,
  )
  assert.equal(links.length, 1)
})
