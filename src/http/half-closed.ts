/**
 * A client may end its side of the connection and wait for the response. On TCP one that has hung
 * up looks the same, but it does not accept anything: while a response is awaited on such a
 * connection, interim responses (102, which HTTP/1.1 clients skip) find out, and the connection of
 * a client that is gone closes, which abandons its work.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../contract/limits.ts'
import { currentResponse } from './current-response.ts'

/** What Node.js has and its types lack. */
type AnsweringServer = Server & { httpAllowHalfOpen: boolean }

export const answerHalfClosed = (server: Server): void => {
  ;(server as AnsweringServer).httpAllowHalfOpen = true
  server.on('connection', (socket) => socket.on('end', () => probe(socket)))
}

/** The machine of a client that is gone refuses the first 102, and the next one shows us that. */
const probe = (socket: Socket): void => {
  if (socket.destroyed) return
  const timer = setInterval(() => {
    const response = currentResponse(socket)
    if (response === undefined || response.headersSent || response.req.httpVersion !== '1.1') return
    response.writeProcessing()
  }, limits.halfClosedProbeEveryMs)
  socket.once('close', () => clearInterval(timer))
}
