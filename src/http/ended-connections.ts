/**
 * A stop waits for every connection, and clients keep theirs open for the next request. So each is
 * closed after the response that it is at. One whose head is still to come says so in it. One that
 * has begun, as a stream of changes has, promised to keep the connection, and is waited for. To
 * requests that come later, Fastify answers that it closes the connection.
 */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { currentResponse } from './current-response.ts'

export const endConnectionsOnStop = (api: FastifyInstance): void => {
  const sockets = new Set<Socket>()
  api.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  api.addHook('preClose', (done) => {
    for (const socket of sockets) endAfterResponse(socket)
    done()
  })
}

const endAfterResponse = (socket: Socket): void => {
  const response = currentResponse(socket)
  if (response === undefined) return
  if (!response.headersSent) response.shouldKeepAlive = false
  else if (response.req.complete) endOnceAnswered(socket)
}

const endOnceAnswered = (socket: Socket): void => {
  const response = currentResponse(socket)
  if (response === undefined) socket.destroySoon()
  else response.once('finish', () => endOnceAnswered(socket))
}
