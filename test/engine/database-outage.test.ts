/**
 * PostgreSQL ends a connection, cleanly or not, before any statement of any kind of call: the
 * caller gets its answer or 503, never 500 and never half an effect, and the next call works.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { assertConsistent } from '../support/database/consistency-auditor.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import {
  type Reply,
  aDraft,
  exampleLine,
  aPair,
  callApi,
  freshIdempotencyKey,
  startTestService,
  until,
} from '../support/service.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { loopbackUrl } from '../support/database/example-writes.ts'

const { url } = await testDatabase()
const proxy = await startDatabaseProxy(await loopbackUrl(url))
const running = await startTestService({}, { url: proxy.url })
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

/** Calls that read, that are decided in a batch, and that run alone; each can be sent again. */
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
      const asking = { key, body: draftBody, headers: headers() }
      return (from) => callApi(from, 'POST', '/v1/documents', asking)
    },
  ],
  [
    'PATCH /v1/documents/{id}',
    () => {
      const asking = { key, ...notes() }
      return (from) => callApi(from, 'PATCH', `/v1/documents/${id}`, asking)
    },
  ],
  [
    'POST /v1/keys',
    () => {
      const asking = { key: session, body: newKeyBody, headers: headers() }
      return (from) => callApi(from, 'POST', '/v1/keys', asking)
    },
  ],
]

/** All connections of the service behind the proxy; those of this test and of the observer stay. */
const behindTheProxy = sql`select pid from pg_stat_activity where datname = current_database()
  and application_name like 'docex%' and client_addr is not null`

const terminate = async (): Promise<void> => {
  const { database } = observer
  await database.rows(sql`select pg_terminate_backend(pid) from (${behindTheProxy}) b`)
  await until('they are gone', async () => (await database.rows(behindTheProxy)).length === 0)
}

const outages: [string, () => unknown][] = [
  ['PostgreSQL terminates the connection', terminate],
  ['the connection breaks', () => proxy.disconnectAll()],
]

for (const [name, make] of calls) {
  for (const [outage, cause] of outages) {
    test(`${name}: ${outage} before its 1st, 2nd, … statement`, async () => {
      let isReached = true
      for (let nth = 1; isReached; nth += 1) {
        // What the last round broke is opened anew by a call that nobody looks at.
        await make()(running)
        const call = make()
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
        let settled = await call(observer)
        // The lock of a broken connection outlives it until PostgreSQL has noticed.
        await until('the key is free', async () => {
          if (settled.status === 409) settled = await call(observer)
          return settled.status !== 409
        })
        assert(settled.status < 300, settled.text)
        if (reply.status < 300 && !name.startsWith('GET')) assert.equal(settled.text, reply.text)
      }
    })
  }
}

test('nothing of it was half', () => assertConsistent(observer.database))
