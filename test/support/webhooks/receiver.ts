/** A local receiver of webhooks, and the deliveries it received. It stops with the test file. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after } from 'node:test'
import { callApi } from '../api-client.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

export interface ReceivedDelivery {
  headers: Record<string, string>
  rawBody: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read events of every type
  event: any
  /** performance.now() at the first byte. */
  arrivedAt: number
}

export interface Receiver {
  url: string
  received: ReceivedDelivery[]
  /** The connections accepted so far. */
  connectionCount: number
  /** Responds to a delivery; with 200 unless a test replaces it. */
  respond: (delivery: ReceivedDelivery, response: ServerResponse) => void
}

/** Listens on a free port until the test file ends, then breaks all open connections. */
export const listen = async (server: Server, host = '127.0.0.1'): Promise<number> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export const startReceiver = async (): Promise<Receiver> => {
  const server = createServer((request, response) => void receive(request, response))
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const arrivedAt = performance.now()
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const rawBody = Buffer.concat(chunks).toString('utf8')
    const headers = request.headers as Record<string, string>
    const delivery = { headers, rawBody, event: JSON.parse(rawBody) as unknown, arrivedAt }
    receiver.received.push(delivery)
    receiver.respond(delivery, response)
  }
  server.on('connection', () => (receiver.connectionCount += 1))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${await listen(server)}/hooks`,
    received: [],
    connectionCount: 0,
    respond: (_, response) => void response.end('ok'),
  }
  return receiver
}

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Receiver['respond'] =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

/** Allows deliveries to this machine, and retries soon enough for a test. */
export const localReceiverSettings = {
  WEBHOOK_ALLOW_PRIVATE: '1',
  WEBHOOK_RETRY_SCHEDULE: '20ms,20ms,20ms,20ms,20ms',
}

/** Registers an endpoint for the organization, and returns it with its secret. */
export const subscribe = async (
  running: TestService,
  { session }: Pick<TestOrganization, 'session'>,
  url: string,
  more: object = {},
  // oxlint-disable-next-line typescript/no-explicit-any -- a response
): Promise<any> => {
  const reply = await callApi(running, 'POST', '/v1/webhooks', {
    key: session,
    body: { url, ...more },
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}
