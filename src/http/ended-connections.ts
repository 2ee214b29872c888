/**
 * A response that began before the service stops has promised to keep its connection, as a stream
 * of changes does. Its client may keep the connection open then and send nothing more on it, for
 * which a stop would wait: once that response is sent, the connection is closed.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What Node.js has and its types lack. */
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

export const endConnectionsOnStop = (api: FastifyInstance): void => {
  const sockets = new Set<Socket>()
  api.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  api.addHook('preClose', (done) => {
    for (const socket of sockets) if (hasBegunToAnswer(socket)) endOnceAnswered(socket)
    done()
  })
}

/** What answers later says in its head that the connection is closed. */
const hasBegunToAnswer = (socket: AnsweringSocket): boolean => {
  // oxlint-disable-next-line no-underscore-dangle -- the response that the connection is at
  const response = socket._httpMessage
  return response?.headersSent === true && response.req.complete
}

const endOnceAnswered = (socket: AnsweringSocket): void => {
  // oxlint-disable-next-line no-underscore-dangle -- the response that the connection is at
  const response = socket._httpMessage
  if (response) response.once('finish', () => endOnceAnswered(socket))
  else socket.destroySoon()
}
