/**
 * Requests that a client sends behind a write on the same connection, without waiting for its
 * answer, are served after it: a server may serve such a row at once only where nothing in it
 * writes (RFC 9112, 9.3.2). Reads alone are served as they come.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The end of the last write of each connection that has one under way. */
const pendingWrites = new WeakMap<Socket, Promise<unknown>>()

export const serveInOrder = (
  { method = '', socket }: IncomingMessage,
  serve: () => Promise<void>,
): Promise<void> => {
  const before = pendingWrites.get(socket)
  const served = before === undefined ? serve() : before.then(serve)
  if (safeMethods.has(method)) return served
  const ended: Promise<unknown> = Promise.allSettled([served]).finally(() => {
    if (pendingWrites.get(socket) === ended) pendingWrites.delete(socket)
  })
  pendingWrites.set(socket, ended)
  return served
}
