/** A client that reads the response only after it has sent its whole body gets the refusal, too. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { startTradingPair } from '../support/documents/trading-pair.ts'
import { until } from '../support/until.ts'

const { running, issuer } = await startTradingPair()
const mebibyte = Buffer.alloc(1024 * 1024, 'x')

const open = (headers: readonly string[]): Socket => {
  const { hostname, port } = new URL(running.baseUrl)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const head = ['POST /v1/documents HTTP/1.1', `Host: ${hostname}`, ...headers]
  socket.write(`${[...head, 'Content-Type: application/json'].join('\r\n')}\r\n\r\n`)
  return socket
}

const isWritten = (socket: Socket, chunk: Buffer): Promise<boolean> =>
  new Promise((resolve) => socket.write(chunk, (error) => resolve(!error)))

const sendAll = async (socket: Socket, mebibytes: number): Promise<void> => {
  for (let i = 0; i < mebibytes; i += 1) assert(await isWritten(socket, mebibyte))
}

const responseOf = async (socket: Socket): Promise<string> => {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'end')
  return Buffer.concat(chunks).toString()
}

const withKey = `Authorization: Bearer ${issuer.key}`

for (const [what, status, mebibytes, headers] of [
  ['with a body that is too large', 413, 30, [withKey]],
  ['without a credential', 401, 2, []],
] as const) {
  test(`a request ${what} is answered, although all of it is sent first`, async () => {
    const length = `Content-Length: ${mebibytes * mebibyte.length}`
    const socket = open([...headers, length])
    await sendAll(socket, mebibytes)
    const response = await responseOf(socket)
    assert.match(response, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(response, /\r\nConnection: close\r\n/i)
    assert.doesNotThrow(() => JSON.parse(response.split('\r\n\r\n')[1]!))
    socket.destroy()
  })
}

test('a client that goes on sending is cut off after a number of bytes', async () => {
  const socket = open([withKey, `Content-Length: ${500 * mebibyte.length}`])
  socket.on('error', () => undefined)
  let sent = 0
  while (await isWritten(socket, mebibyte)) sent += mebibyte.length
  // The buffers of both machines take more than the service has read.
  assert(sent < 2 * limits.lingeringCloseMaxBytes, `${sent} bytes`)
})

test('a client that stops sending is cut off after a time', async () => {
  const socket = open([withKey, `Content-Length: ${500 * mebibyte.length}`])
  await sendAll(socket, 1)
  assert.match(await responseOf(socket), /^HTTP\/1.1 413 /)
  socket.on('error', () => undefined)
  await until('it is cut off', async () => !(await isWritten(socket, Buffer.from('x'))))
})
