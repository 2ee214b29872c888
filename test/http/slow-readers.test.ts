/** Clients that do not take what they asked for are cut off, the slowest ones first. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { interopLimits } from '../../src/contract/interop-limits.ts'
import { limits } from '../../src/contract/limits.ts'
import { type ReaderLimits, cutOffSlowReaders, noteIfWaiting } from '../../src/http/slow-readers.ts'
import { rawRequest } from '../support/http/raw-http.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService({ PROCESS_ROLE: 'api', RATE_LIMITS: 'off' })

/** More than the buffers of a connection take. */
const longResponse = Buffer.alloc(24 * 1024 * 1024)
const inAnHour = 3_600_000

const serverWith = async (t: TestContext, readers: Partial<ReaderLimits>): Promise<Server> => {
  const server = createServer((_request, response) => noteIfWaiting(response.end(longResponse)))
  const tolerant = { checkEveryMs: 10, stallMs: inAnHour, unsentMaxBytes: Infinity }
  cutOffSlowReaders(server, { ...tolerant, ...readers })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** Sends requests and reads nothing. */
const ask = async (t: TestContext, port: number, path = '/', requests = 1): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').pause().on('error', Object)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  const keptAlive = rawRequest(`GET ${path}`, []).toString().replace('Connection: close\r\n', '')
  socket.write(keptAlive.repeat(requests))
  return socket
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

test('a client that takes nothing for a while is cut off, one that goes on reading is not', async (t) => {
  const server = await serverWith(t, { stallMs: 1_500 })
  const { port } = server.address() as AddressInfo
  await ask(t, port)
  const reader = await ask(t, port)
  let taken = 0
  reader.on('data', ({ length }: Buffer) => {
    taken += length
    reader.pause()
    setTimeout(() => reader.resume(), 5)
  })
  reader.resume()
  await until('the response is taken', () => taken > longResponse.length)
  await until('the other one is cut off', async () => (await connectionsOf(server)) === 1)
})

test('beyond a bound of bytes in all, whoever has taken nothing for longest is cut off', async (t) => {
  const unsentMaxBytes = 1.5 * longResponse.length
  const server = await serverWith(t, { unsentMaxBytes })
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await ask(t, port)
  await until('the first one waits', () => (sockets[0]?.writableLength ?? 0) > 0)
  await ask(t, port)
  await until('one is cut off', () => sockets.some(({ destroyed }) => destroyed))
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [true, false],
  )
})

test('what waits behind another response of its connection counts as well', async (t) => {
  const server = await serverWith(t, { unsentMaxBytes: 1.5 * longResponse.length })
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  await ask(t, port, '/', 2)
  await until('it is cut off', () => sockets[0]?.destroyed === true)
})

test('the service cuts off a client that pipelines requests and reads no response', async (t) => {
  const sockets: Socket[] = []
  const record = (message: unknown) => sockets.push((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', record)
  t.after(() => unsubscribe('http.server.request.start', record))
  await ask(t, running.service.port, '/v1/openapi.json', 40)
  await until('all are asked for', () => sockets.length === 40)
  hurry(t, 60)
  await until('the connection is closed', () => sockets[0]!.destroyed)
})

test('whoever reads as fast as an upload must be sent has every attachment to its end', () => {
  const { uploadMinBytesPerSecond: rate, attachmentMaxBytes } = limits
  const { downloadStallMs, downloadMaxMs } = interopLimits
  // Nothing shows before a third of the buffer of a connection is free (tcp_wmem, tcp(7)).
  const unseenBytes = (4 * 1024 * 1024) / 3
  const stallMs = Math.min(limits.responseStallMs, downloadStallMs)
  assert(stallMs / 1000 > unseenBytes / rate)
  assert(downloadMaxMs / 1000 > attachmentMaxBytes / rate)
})

/** From now on, the clock of the process runs so many times as fast. */
const hurry = (t: TestContext, times: number): void => {
  const beganAt = performance.now()
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => beganAt + (now() - beganAt) * times)
}
