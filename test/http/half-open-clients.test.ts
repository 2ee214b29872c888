/**
 * A client may end its side of the connection once it has sent its request, and gets its response;
 * one that has closed the whole connection gets nothing more done (RFC 9112, 9.6).
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { exampleLine, aPair, anInvoice } from '../support/fixtures.ts'
import { openSocket } from '../support/http/raw-http.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const pair = await aPair(running)
const { issuer, connection } = pair
await anInvoice(running, pair)

const locker = await openTestConnection(running.databaseUrl, 'test locker')
after(() => locker.close())

const authorization = `Authorization: Bearer ${issuer.key}`
const head = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, 'Host: test', authorization, ...headers].join('\r\n')}\r\n\r\n`

const draft = JSON.stringify({
  connection_id: connection,
  document_type: 'invoice',
  line_items: [exampleLine],
})
const createDraft = (): string => {
  const length = `Content-Length: ${draft.length}`
  const key = `Idempotency-Key: ${freshIdempotencyKey()}`
  return head('POST /v1/documents', key, 'Content-Type: application/json', length) + draft
}

/**
 * What a client receives that ends its side after these bytes, until the service closes too. While
 * a response takes long, 102 comes before it.
 */
const responsesTo = async (bytes: string): Promise<string> => {
  const { socket, text } = await openSocket(running)
  socket.end(bytes)
  await once(socket, 'close')
  return text()
}

test('a client that ends its side after its request gets the response, then the end', async () => {
  const caller = await responsesTo(head('GET /v1/me'))
  assert.match(caller, /(^|\r\n\r\n)HTTP\/1.1 200 OK\r\n[^]*"organization"/)
  const created = await responsesTo(createDraft())
  assert.match(created, /(^|\r\n\r\n)HTTP\/1.1 201 Created\r\n[^]*"status":"draft"/)
})

test('a request that does not arrive in time is refused as such, and what is no HTTP as that', async () => {
  const refusalOf = async (bytes: string): Promise<string> => {
    const { socket, text } = await openSocket(running)
    socket.write(bytes)
    await once(socket, 'close')
    return text()
  }
  const [slow, wrong] = await Promise.all([refusalOf('GET /v1/me HTTP/1.1\r\n'), refusalOf('\0')])
  assert.match(slow, /^HTTP\/1.1 400 [^]*did not arrive in time[^]*"send the same request again/)
  assert.match(wrong, /^HTTP\/1.1 400 [^]*not well-formed HTTP/)
})

test('each of its pipelined requests is answered', async () => {
  const responses = await responsesTo(createDraft() + head('GET /v1/me') + head('GET /v1/keys'))
  const statuses = [...responses.matchAll(/HTTP\/1.1 ([2-5]\d\d) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, ['201', '200', '403'])
})

/** Two filters, so that its statement is one that can be cancelled. */
const list = 'GET /v1/documents?type=invoice&direction=issued'

const waitingLists = async (): Promise<number> => {
  const [row] = await running.database.rows<{ count: bigint }>(sql`
    select count(*) as count from pg_stat_activity
    where application_name like 'docex lists %' and wait_event_type = 'Lock'`)
  return Number(row!.count)
}

/** Sends lists of documents, and waits until PostgreSQL waits with one of them for a lock. */
const withWaitingLists = async (
  requests: readonly string[],
  work: (clients: Awaited<ReturnType<typeof openSocket>>[]) => Promise<void>,
): Promise<string[]> => {
  await locker.script('begin; lock table document_views in access exclusive mode')
  const clients = await Promise.all(requests.map(() => openSocket(running)))
  try {
    clients.forEach(({ socket }, i) => socket.write(requests[i]!))
    await until('a list waits', async () => (await waitingLists()) > 0)
    await work(clients)
  } finally {
    await locker.script('rollback')
  }
  for (const { socket } of clients) if (!socket.closed) await once(socket, 'close')
  return clients.map(({ text }) => text())
}

const interim = 'HTTP/1.1 102 Processing\r\n\r\n'
/** After the list or, on a slow machine, after waiting too long for its lock. */
const final = /^HTTP\/1.1 (200|503) [^]*\r\n\r\n\{[^]*\}$/

test('while it waits, HTTP/1.1 clients are asked whether they are there, and get their response', async () => {
  const requests = [head(list), head(list).replace('HTTP/1.1', 'HTTP/1.0')]
  const [newer, older] = await withWaitingLists(requests, async ([asked, unasked]) => {
    unasked!.socket.end()
    asked!.socket.end()
    // By the third, the connection of a client that is gone is closed.
    await until('it has been asked', () => asked!.text().split(interim).length > 3)
  })
  assert.match(newer!.replaceAll(interim, ''), final)
  assert.match(older!, final, 'HTTP/1.0 has no interim responses')
})

test('a list whose client has closed the whole connection is cancelled', async () => {
  running.logLines.splice(0)
  await withWaitingLists([head(list)], async ([client]) => {
    client!.socket.destroy()
    await until('nothing waits', async () => (await waitingLists()) === 0)
    await until('the call is logged', () => running.logLines.join('').includes('"GET"'))
  })
  const waitedTooLong = '55P03'
  assert(!running.logLines.join('').includes(waitedTooLong))
})
