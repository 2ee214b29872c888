/** A stopping process answers the requests in progress and closes their connections. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../../src/contract/limits.ts'
import { freshIdempotencyKey } from '../support/api-client.ts'
import { testServer } from '../support/database/postgres.ts'
import { exampleLine, aPair } from '../support/fixtures.ts'
import { openSocket } from '../support/http/raw-http.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

// The server must outlive the first test that uses it.
await testServer()

test('a stopping process completes a half-sent request and closes its connection', async () => {
  const running = await startTestService()
  const { issuer, connection } = await aPair(running)
  const body = JSON.stringify({
    connection_id: connection,
    document_type: 'invoice',
    line_items: [exampleLine],
  })
  const head = [
    'POST /v1/documents HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${issuer.key}`,
    `Idempotency-Key: ${freshIdempotencyKey()}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  const idle = await openSocket(running)
  const { socket, text } = await openSocket(running)
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until('the service waits for the body', () => text().startsWith('HTTP/1.1 100 '))
  const stopped = running.service.stop()
  socket.write(body)
  await once(socket, 'close')
  assert.match(text(), /\r\nHTTP\/1.1 201 /)
  assert.match(text(), /\r\nconnection: close\r\n/i)
  assert.match(text(), /\r\nSvc-Api-Version: /)
  await stopped
  idle.socket.destroy()
})

test('a stopping process does not wait for the clients of streams that it has ended', async () => {
  const running = await startTestService()
  const { issuer } = await aPair(running)
  const { socket, text } = await openSocket(running)
  const head = ['GET /v1/stream HTTP/1.1', 'Host: localhost', `Authorization: Bearer ${issuer.key}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until('the stream is open', () => text().includes(': open'))
  assert.match(text(), /\r\nconnection: keep-alive\r\n/i)
  const begunMs = performance.now()
  const stopped = running.service.stop()
  await once(socket, 'close')
  assert(performance.now() - begunMs < limits.drainMaxMs / 2, 'it is no longer used')
  assert(text().endsWith('\r\n0\r\n\r\n'), 'and was not cut off')
  await stopped
})

test('a stopping process ends the connection of a page that it answers later', async () => {
  const running = await startTestService()
  const { socket, text } = await openSocket(running)
  const form = 'List-Unsubscribe=One-Click'
  const head = [
    'POST /unsubscribe/nothing HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${form.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until('the service waits for the form', () => text().startsWith('HTTP/1.1 100 '))
  const stopped = running.service.stop()
  socket.write(form)
  await until('it has answered', () => text().includes('</html>'))
  assert.match(text(), /\r\nHTTP\/1.1 404 /)
  assert.match(text(), /\r\nconnection: close\r\n/i)
  await stopped
})

test('a stopping process ends the connection of a request that was half there', async () => {
  const running = await startTestService()
  const { socket, text } = await openSocket(running)
  socket.write('GET /v1/me HTTP/1.1\r\nHost: local')
  await pause(200)
  const stopped = running.service.stop()
  await pause(200)
  socket.write('host\r\n\r\n')
  await until('it has answered', () => text().includes('\r\n\r\n'))
  assert.match(text(), /\r\nconnection: close\r\n/i)
  await stopped
})
