/**
 * A request may be refused while the client still sends its body. A connection that closed at once
 * would answer the rest with a reset, which takes the response away from a client that reads it
 * only after it has sent everything (RFC 9112, section 9.6). So the service ends its own side, and
 * drops what still comes, within a bound of bytes and of time.
 */
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { limits } from '../contract/limits.ts'

/** If the connection closes after this response, then once the client has had time to read it. */
export const lingerOnClose = (response: ServerResponse, isCallerKnown: boolean): void => {
  const {
    req: request,
    req: { socket },
  } = response
  const { lingeringCloseMaxBytes, lingeringCloseMaxUnknownBytes } = limits
  const bytesMax = isCallerKnown ? lingeringCloseMaxBytes : lingeringCloseMaxUnknownBytes
  // Node.js calls it once the response is sent.
  socket.destroySoon = () => {
    if (request.complete) return Socket.prototype.destroySoon.call(socket)
    const bytesBefore = socket.bytesRead
    const endsAt = performance.now() + limits.lingeringCloseMaxMs
    const isOver = () => performance.now() > endsAt || socket.bytesRead - bytesBefore > bytesMax
    const timer = setInterval(() => {
      if (isOver()) socket.destroy()
    }, limits.lingeringCloseCheckEveryMs)
    socket.once('close', () => clearInterval(timer))
    socket.end()
    request.resume()
    request.once('end', () => socket.destroy())
  }
}
