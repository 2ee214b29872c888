/**
 * Pipelined requests: a request that arrives behind a write on the same connection waits for that
 * write. RFC 9112 (9.3.2) allows parallel processing only for safe methods; reads are not delayed.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The last write in progress of each connection. */
const pendingWrites = new WeakMap<Socket, Promise<unknown>>()

export const serveInOrder = (
  { method = '', socket }: IncomingMessage,
  serve: () => Promise<void>,
): Promise<void> => {
  const before = pendingWrites.get(socket)
  const served = before === undefined ? serve() : before.then(serve)
  if (safeMethods.has(method)) return served
  const forget = (): void => {
    if (pendingWrites.get(socket) === ended) pendingWrites.delete(socket)
  }
  const ended: Promise<void> = served.then(forget, forget)
  pendingWrites.set(socket, ended)
  return served
}
