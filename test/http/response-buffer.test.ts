/**
 * Long responses share buffers (http/response-buffer.ts), and each credential is parsed only once
 * (http/admission/authenticator.ts): neither may ever show one caller the data of another.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { callApi, freshIdempotencyKey } from '../support/api-client.ts'
import { aDraft, exampleLine, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()
const { port } = running.service

/** Pairs whose documents name their owner and are long enough to fill a page. */
const owners = await Promise.all(
  ['alpha', 'beta', 'gämma', 'δέλτα'].map(async (name) => {
    const pair = await aPair(running)
    const word = `${name} `.repeat(30)
    const lines = Array.from({ length: 20 }, () => ({ ...exampleLine, description: word.trim() }))
    for (let i = 0; i < 6; i += 1) {
      await aDraft(running, pair, { line_items: lines, notes: `${name} ${i}` })
    }
    const page = await callApi(running, 'GET', '/v1/documents', { key: pair.issuer.key })
    return { key: pair.issuer.key, name, page: page.text }
  }),
)

const requestOf = (key: string): string =>
  `GET /v1/documents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`

const openSocket = async (): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port })
  await once(socket, 'connect')
  return socket
}

/** The bodies of this many responses on one connection, in order. */
const bodiesOn = async (socket: Socket, count: number): Promise<string[]> => {
  const bodies: string[] = []
  let bytes: Buffer = Buffer.alloc(0)
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1])
      if (end < 0 || bytes.length < end + 4 + length) break
      bodies.push(bytes.toString('utf8', end + 4, end + 4 + length))
      bytes = bytes.subarray(end + 4 + length)
    }
    if (bodies.length === count) return bodies
  }
  return bodies
}

test('the pages are long enough to be assembled in a shared buffer', () => {
  for (const { page } of owners) {
    assert.ok(page.length > limits.singleWriteMaxLength)
    assert.ok(page.length * 3 < limits.responseBufferBytes)
  }
})

/** More responses than the socket buffers of the system hold. */
const unreadResponses = 150

test('a caller that reads slowly or disconnects never receives the bytes of another caller', async () => {
  // These sockets are not read, so their responses wait in the buffers of the service.
  const slow = await Promise.all(
    owners.map(async ({ key }) => {
      const socket = await openSocket()
      socket.pause()
      socket.write(requestOf(key).repeat(unreadResponses))
      return socket
    }),
  )
  const abandoned = await Promise.all(owners.map(openSocket))
  for (const [i, socket] of abandoned.entries()) {
    socket.pause()
    socket.write(requestOf(owners[i]!.key).repeat(20))
  }
  const rounds = async ({ key, page }: (typeof owners)[number]) => {
    for (let read = 0; read < 20;) {
      const { status, text } = await callApi(running, 'GET', '/v1/documents', { key })
      // On a busy machine the turn may not come in time.
      if (status === 503) continue
      assert.equal(text, page)
      read += 1
    }
  }
  const concurrent = Promise.all(owners.flatMap((owner) => [rounds(owner), rounds(owner)]))
  for (const socket of abandoned) socket.destroy()
  await concurrent
  for (const [i, socket] of slow.entries()) {
    const bodies = await bodiesOn(socket, unreadResponses)
    socket.destroy()
    assert.equal(bodies.length, unreadResponses)
    for (const body of bodies) assert.equal(body, owners[i]!.page)
  }
})

test('each request on a connection is answered for its own credential', async () => {
  const socket = await openSocket()
  const [a, b] = [owners[0]!, owners[1]!]
  const callers = [a, b, a, a, b]
  socket.write(callers.map(({ key }) => requestOf(key)).join(''))
  const bodies = await bodiesOn(socket, callers.length)
  assert.deepEqual(
    bodies,
    callers.map(({ page }) => page),
  )
  socket.destroy()
})

test('a request pipelined behind a write is served after it', async () => {
  const pair = await aPair(running)
  const head = (line: string, more: readonly string[] = []): string =>
    [`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${pair.issuer.key}`, ...more].join(
      '\r\n',
    )
  const write = (line: string, body = ''): string =>
    head(line, [
      `Idempotency-Key: ${freshIdempotencyKey()}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ])
  for (let round = 0; round < 5; round += 1) {
    const { id } = await aDraft(running, pair)
    const socket = await openSocket()
    socket.write(
      write(`PATCH /v1/documents/${id}`, '{"notes":"edited"}') +
        write(`POST /v1/documents/${id}/issue`) +
        `${head(`GET /v1/documents/${id}`)}\r\n\r\n` +
        `${head('GET /v1/documents?limit=1')}\r\n\r\n`,
    )
    const [edited, issued, read, list] = (await bodiesOn(socket, 4)).map((text) => JSON.parse(text))
    socket.destroy()
    assert.deepEqual([edited.status, edited.revision], ['draft', 2])
    assert.deepEqual([issued.status, issued.revision, issued.notes], ['submitted', 3, 'edited'])
    assert.equal(read.status, 'submitted')
    assert.equal(list.data[0].status, 'submitted')
  }
})

test('a revoked key is refused on the connection that used it', async () => {
  const { issuer } = await aPair(running)
  const created = await callApi(running, 'POST', '/v1/keys', {
    key: issuer.session,
    body: { name: 'short', scopes: ['documents:read'] },
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
  const { id, key } = created.body as any
  const socket = await openSocket()
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.write(requestOf(key as string))
  await until('the first response', () => text.startsWith('HTTP/1.1 200 '))
  await callApi(running, 'POST', `/v1/keys/${id}/revoke`, { key: issuer.session })
  text = ''
  socket.write(requestOf(key as string))
  await until('the second response', () => text.startsWith('HTTP/1.1 401 '))
  socket.destroy()
})
