/** A process that was told to end: requests under way are answered, connections are not kept. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { test } from 'node:test'
import {
  type TestService,
  exampleLine,
  aPair,
  freshIdempotencyKey,
  startTestService,
  until,
} from '../support/service.ts'

/** A raw connection, and all that it has received. */
const opened = async ({ service }: TestService): Promise<{ socket: Socket; text(): string }> => {
  const socket = connect({ host: '127.0.0.1', port: service.port })
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await once(socket, 'connect')
  return { socket, text: () => text }
}

test('a request half sent is finished, its connection closed, and the process lets go', async () => {
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
  const idle = await opened(running)
  const { socket, text } = await opened(running)
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
