/** Connections to third parties: when they are reused, and when a call is repeated. */
import assert from 'node:assert/strict'
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import type { Resolve } from '../../src/outbound/egress.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { listen } from '../support/webhooks/receiver.ts'

const resolve: Resolve = async (name) => (name === 'receiver.example' ? ['127.0.0.1'] : [])
const outbound = openOutbound(resolve)
const allowPrivate = { reach: 'private' } as const

test('each connection takes one DNS query, so its calls stay with the checked address', async () => {
  let queries = 0
  const counting = openOutbound(async () => {
    queries += 1
    return ['127.0.0.1']
  })
  let connections = 0
  const server = createHttp((_, response) => void response.end('ok'))
  server.on('connection', () => (connections += 1))
  const port = await listen(server)
  const line = counting.client(`http://counted.example:${port}/`, allowPrivate)
  for (let i = 0; i < 8; i += 1) assert.equal((await line.post({}, '{}')).status, 200)
  assert.equal(queries, connections)
  assert(connections < 8, 'connections are used again')
  line.close()
})

test('a connection whose address was checked long ago takes one more call, and is closed', async (t) => {
  let connections = 0
  const server = createHttp((_, response) => void response.end('ok'))
  server.on('connection', () => (connections += 1))
  const line = outbound.client(`http://127.0.0.1:${await listen(server)}/`, allowPrivate)
  // Whole milliseconds: the sum of a fraction and the limit may be rounded to more than the limit.
  const openedAt = Math.round(performance.now())
  const now = t.mock.method(performance, 'now', () => openedAt)
  const callAt = async (ms: number): Promise<number> => {
    now.mock.mockImplementation(() => openedAt + ms)
    assert.equal((await line.post({}, '{}')).status, 200)
    return connections
  }
  const maxMs = limits.outboundConnectionMaxMs
  const counts = [await callAt(0), await callAt(maxMs), await callAt(maxMs + 1)]
  assert.deepEqual([...counts, await callAt(maxMs + 1)], [1, 1, 1, 2])
  line.close()
})

test('two clients share no connection, even to the same address', async () => {
  let connections = 0
  const server = createHttp((_, response) => void response.end('ok'))
  server.on('connection', () => (connections += 1))
  const url = `http://127.0.0.1:${await listen(server)}/`
  const [one, other] = [outbound.client(url, allowPrivate), outbound.client(url, allowPrivate)]
  for (const line of [one, other, one, other]) assert.equal((await line.post({}, '{}')).status, 200)
  assert.equal(connections, 2)
  for (const line of [one, other]) line.close()
})

test('a connection that the receiver closes while idle causes no failed attempt', async () => {
  // Closes a connection on its second request, as if the close and the request crossed.
  let responded = 0
  let ended = 0
  const server = createServer((socket) => {
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests > 1) {
        ended += 1
        return void socket.destroy()
      }
      responded += 1
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const line = outbound.client(`http://127.0.0.1:${await listen(server)}/`, allowPrivate)
  for (let i = 0; i < 12; i += 1) {
    assert.deepEqual(await line.post({}, '{}').then(({ status, error }) => [status, error]), [
      200,
      null,
    ])
  }
  line.close()
  assert.equal(responded, 12)
  assert(ended > 0, 'connections are used again')
})

test('a call is repeated once, and never after the first byte of a response', async () => {
  const requests: number[] = []
  let secondResponse = ''
  const server = createServer((socket) => {
    const connection = requests.push(0) - 1
    socket.on('data', () => {
      requests[connection]! += 1
      if (connection === 0 && requests[0] === 1) {
        return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      }
      socket.end(secondResponse)
    })
  })
  const port = await listen(server)
  for (const [part, expected] of [
    ['', [2, 1]],
    ['HTTP/1.1 2', [2]],
  ] as const) {
    requests.length = 0
    secondResponse = part
    const line = outbound.client(`http://127.0.0.1:${port}/`, allowPrivate)
    assert.equal((await line.post({}, '{}')).status, 200)
    assert.equal((await line.post({}, '{}')).error, 'the connection was reset')
    line.close()
    assert.deepEqual(requests, expected)
  }
})
