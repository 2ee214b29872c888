/**
 * Long answers as bytes. Their pieces are written side by side into a buffer that is used again
 * once it was sent: a page that is joined, flattened and encoded first exists three times over, and
 * what it leaves behind costs more than the page.
 */
import { limits } from '../contract/limits.ts'

/** What is sent: a text, or the pieces of a long one. */
export type Body = string | readonly string[]

export interface AnswerBytes {
  bytes: Buffer
  /** To be called once the system has them. */
  sent(): void
}

/** UTF-8 needs at most so many bytes for a unit of a JavaScript text. */
const bytesOfUnitMax = 3

const spare: Buffer[] = []

export const bytesOf = (pieces: readonly string[]): AnswerBytes => {
  let units = 0
  for (const piece of pieces) units += piece.length
  if (units * bytesOfUnitMax > limits.answerBufferBytes) {
    return { bytes: Buffer.from(pieces.join('')), sent: () => {} }
  }
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(limits.answerBufferBytes)
  let length = 0
  for (const piece of pieces) length += buffer.write(piece, length)
  return {
    bytes: buffer.subarray(0, length),
    sent: () => {
      if (spare.length < limits.answerBuffersKept) spare.push(buffer)
    },
  }
}
