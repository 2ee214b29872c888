/**
 * Long answers as bytes. Their pieces are written side by side into a buffer that is used again
 * once it was sent: a page that is joined, flattened and encoded first exists three times over, and
 * what it leaves behind costs more than the page.
 */
import { limits } from '../contract/limits.ts'

/** What is sent: a text, or the pieces of a long one. */
export type ResponseBody = string | readonly string[]

export interface EncodedBody {
  bytes: Buffer
  /** To be called once the system has them. */
  release(): void
}

/** UTF-8 needs at most so many bytes for a unit of a JavaScript text. */
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
