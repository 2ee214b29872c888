/**
 * A connection breaks before each statement of each kind of call: the caller gets its response or
 * 503, never 500 or half an effect, and the next call works.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { CommitOutcomeUnknown, DatabaseUnavailable, raw, sql } from '../../src/database/sql.ts'
import { isTransient, unavailableRefusal } from '../../src/engine/database-failures.ts'
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { type Reply, callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, exampleLine, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { loopbackUrl } from '../support/engine/engine-fixture.ts'

const { url } = await testDatabase()
const proxy = await startDatabaseProxy(await loopbackUrl(url))
// Tasks of its own would have statements beside those of the calls.
const running = await startTestService({ PROCESS_ROLE: 'api' }, { url: proxy.url })
const observer = await startTestService({}, { url })
const pair = await aPair(observer)
const { id } = await aDraft(observer, pair)
const { key, session } = pair.issuer

const draftBody = {
  connection_id: pair.connection,
  document_type: 'invoice',
  line_items: [exampleLine],
}
const headers = () => ({ 'idempotency-key': freshIdempotencyKey() })
const notes = () => ({ body: { notes: freshIdempotencyKey() }, headers: headers() })
const newKeyBody = { name: 'One more', scopes: ['documents:read'] }

type ApiCall = (from: { baseUrl: string }) => Promise<Reply>

/** Reads, batched writes and a transactional write; each call can be repeated. */
const calls: [string, () => ApiCall][] = [
  ['GET /v1/documents/{id}', () => (from) => callApi(from, 'GET', `/v1/documents/${id}`, { key })],
  [
    'GET /v1/documents/{id}/history',
    () => (from) => callApi(from, 'GET', `/v1/documents/${id}/history`, { key }),
  ],
  ['GET /v1/documents', () => (from) => callApi(from, 'GET', '/v1/documents', { key })],
  [
    'POST /v1/documents',
    () => {
      const options = { key, body: draftBody, headers: headers() }
      return (from) => callApi(from, 'POST', '/v1/documents', options)
    },
  ],
  [
    'PATCH /v1/documents/{id}',
    () => {
      const options = { key, ...notes() }
      return (from) => callApi(from, 'PATCH', `/v1/documents/${id}`, options)
    },
  ],
  [
    'POST /v1/keys',
    () => {
      const options = { key: session, body: newKeyBody, headers: headers() }
      return (from) => callApi(from, 'POST', '/v1/keys', options)
    },
  ],
]

/** All connections through the proxy; those of the test and of the observer do not match. */
const proxiedConnections = sql`select pid from pg_stat_activity where datname = current_database()
  and application_name like 'docex%' and client_addr is not null`

const terminateConnections = async (): Promise<void> => {
  const { database } = observer
  await database.rows(sql`select pg_terminate_backend(pid) from (${proxiedConnections}) b`)
  await until(
    'the connections are gone',
    async () => (await database.rows(proxiedConnections)).length === 0,
  )
}

const outages: [string, () => unknown][] = [
  ['PostgreSQL terminates the connection', terminateConnections],
  ['the connection breaks', () => proxy.disconnectAll()],
]

// Without LONG=1, each call meets one of the outages.
const isLong = process.env['LONG'] === '1'
for (const [i, [name, newCall]] of calls.entries()) {
  for (const [outage, cause] of isLong ? outages : [outages[i % outages.length]!]) {
    test(`${name} succeeds or gets 503 when ${outage} before its 1st, 2nd, … statement`, async () => {
      let isReached = true
      for (let nth = 1; isReached; nth += 1) {
        // This call, whose outcome does not matter, reopens the connections broken before.
        await newCall()(running)
        const call = newCall()
        isReached = false
        proxy.statementCount = 0
        proxy.onStatement = async () => {
          if (proxy.statementCount !== nth) return
          isReached = true
          await cause()
        }
        const reply = await call(running)
        proxy.onStatement = () => {}
        assert(reply.status < 300 || reply.status === 503, `before statement ${nth}: ${reply.text}`)
        let repeated = await call(observer)
        // A broken connection keeps its locks until PostgreSQL notices.
        await until('the key is free', async () => {
          if (repeated.status === 409) repeated = await call(observer)
          return repeated.status !== 409
        })
        assert(repeated.status < 300, repeated.text)
        if (reply.status < 300 && !name.startsWith('GET')) assert.equal(repeated.text, reply.text)
      }
    })
  }
}

const busy = 'The database is busy right now. Send the same request again.'

test('a read that times out on a lock gets 503 "busy", and its SQLSTATE is logged', async () => {
  const { database, logLines } = observer
  const earlier = logLines.length
  await database.run(sql`begin`)
  await database.run(sql`lock table documents in access exclusive mode`)
  const reply = await callApi(observer, 'GET', `/v1/documents/${id}`, { key })
  await database.run(sql`rollback`)
  assert.equal(reply.status, 503, reply.text)
  assert(reply.text.includes(busy), reply.text)
  const lines = logLines.slice(earlier).filter((one) => one.includes('"database_unavailable"'))
  const states = lines.map((line) => (JSON.parse(line) as { sqlstate: string }).sqlstate)
  assert(states.includes('55P03'), `${states}`)
})

test('lists behind one that could not even be prepared for a lock get 503 "busy" as well', async () => {
  const { database } = observer
  // Nobody else asks for this many, so no connection has prepared the statement.
  const list = () => callApi(observer, 'GET', '/v1/documents?limit=97', { key })
  await database.run(sql`begin`)
  await database.run(sql`lock table documents in access exclusive mode`)
  const replies = await Promise.all(Array.from({ length: limits.readConnections * 3 }, list))
  await database.run(sql`rollback`)
  for (const { status, text } of replies) {
    assert.equal(status, 503, text)
    assert(text.includes(busy), text)
  }
  assert.equal((await list()).status, 200)
})

test('timeouts, deadlocks and serialization failures mean busy; only outages, not reachable', async () => {
  for (const sqlstate of ['55P03', '57014', '40P01', '40001']) {
    const failing = raw(`do $$ begin raise exception 'it' using errcode = '${sqlstate}'; end $$`)
    const error: unknown = await observer.database.run(failing).catch((reason: unknown) => reason)
    assert(isTransient(error), sqlstate)
    assert.equal(unavailableRefusal(error).message, busy, sqlstate)
  }
  assert.match(unavailableRefusal(new DatabaseUnavailable()).message, /not reachable/)
  assert.match(unavailableRefusal(new CommitOutcomeUnknown()).message, /outcome .* not known/)
})

test('no outage left half an effect', () => assertConsistent(observer.database))
