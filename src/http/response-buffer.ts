/**
 * Encodes long responses. Their pieces are written into a buffer that is reused once the response
 * is sent: joining and encoding them first would allocate a page three times, and collecting that
 * garbage would cost more than the page itself.
 */
import { limits } from '../contract/limits.ts'

/** A text, the pieces of a long one, or bytes. */
export type ResponseBody = string | readonly string[] | Buffer

export interface EncodedBody {
  bytes: Buffer
  /** Must be called once the bytes are sent. */
  release(): void
}

/** UTF-8 needs at most this many bytes per UTF-16 code unit. */
const bytesPerUnitMax = 3

const freeBuffers: Buffer[] = []

export const encodeBody = (pieces: readonly string[]): EncodedBody => {
  let units = 0
  for (const piece of pieces) units += piece.length
  if (units * bytesPerUnitMax > limits.responseBufferBytes) {
    return { bytes: Buffer.from(pieces.join('')), release: () => {} }
  }
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(limits.responseBufferBytes)
  let length = 0
  for (const piece of pieces) length += buffer.write(piece, length)
  return {
    bytes: buffer.subarray(0, length),
    release: () => {
      if (freeBuffers.length < limits.responseBuffersMax) freeBuffers.push(buffer)
    },
  }
}
