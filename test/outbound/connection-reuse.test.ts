/** Connections to strangers: whom they are shared with, and when a call is sent again. */
import assert from 'node:assert/strict'
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:net'
import { test } from 'node:test'
import type { Resolve } from '../../src/outbound/egress.ts'
import { openOutbound } from '../../src/outbound/client.ts'
import { listen } from '../support/webhooks/receiver.ts'

const resolve: Resolve = async (name) => (name === 'receiver.example' ? ['127.0.0.1'] : [])
const outbound = openOutbound(resolve)
const allowPrivate = { allowsPrivate: true }

test('one connection, one query: calls on an open connection stay with the checked address', async () => {
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

test('two endpoints share no connection, wherever they lead', async () => {
  let connections = 0
  const server = createHttp((_, response) => void response.end('ok'))
  server.on('connection', () => (connections += 1))
  const url = `http://127.0.0.1:${await listen(server)}/`
  const [one, other] = [outbound.client(url, allowPrivate), outbound.client(url, allowPrivate)]
  for (const line of [one, other, one, other]) assert.equal((await line.post({}, '{}')).status, 200)
  assert.equal(connections, 2)
  for (const line of [one, other]) line.close()
})

test('a connection that the receiver closed while it was idle costs no attempt', async () => {
  // The second request on a connection meets its end, as if both had passed each other.
  let answered = 0
  let ended = 0
  const server = createServer((socket) => {
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests > 1) {
        ended += 1
        return void socket.destroy()
      }
      answered += 1
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
  assert.equal(answered, 12)
  assert(ended > 0, 'connections are used again')
})

test('a call is repeated once, and never after a byte of an answer', async () => {
  const requests: number[] = []
  let later = ''
  const server = createServer((socket) => {
    const connection = requests.push(0) - 1
    socket.on('data', () => {
      requests[connection]! += 1
      if (connection === 0 && requests[0] === 1) {
        return void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      }
      socket.end(later)
    })
  })
  const port = await listen(server)
  for (const [part, expected] of [
    ['', [2, 1]],
    ['HTTP/1.1 2', [2]],
  ] as const) {
    requests.length = 0
    later = part
    const line = outbound.client(`http://127.0.0.1:${port}/`, allowPrivate)
    assert.equal((await line.post({}, '{}')).status, 200)
    assert.equal((await line.post({}, '{}')).error, 'the connection was reset')
    line.close()
    assert.deepEqual(requests, expected)
  }
})
