/**
 * The bytes of a request body, up to a limit, and only when nothing has refused the call before.
 */
import type { IncomingMessage } from 'node:http'
import { invalidRequest, refuse } from '../../contract/errors.ts'

export const readBody = (request: IncomingMessage, limitBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // It came without a body (`optimizeEmptyRequests`).
    if (request.readableEnded) return resolve(Buffer.alloc(0))
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limitBytes) return reject(payloadTooLarge(limitBytes))
    if (request.destroyed) return reject(bodyIncomplete())
    const chunks: Buffer[] = []
    let total = 0
    request.on('data', (chunk: Buffer) => {
      total += chunk.length
      if (total <= limitBytes) return chunks.push(chunk)
      request.pause()
      reject(payloadTooLarge(limitBytes))
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', () => reject(bodyIncomplete()))
    request.on('close', () => {
      if (!request.complete) reject(bodyIncomplete())
    })
  })

/**
 * The caller left, or sent broken chunks: that is no failure of ours, and nobody reads the answer.
 */
export const bodyIncomplete = () =>
  invalidRequest([
    { param: '', code: 'invalid_value', message: 'The body ended before it was complete.' },
  ])

/** The rest of the body is not read: the connection ends with the answer. */
export const payloadTooLarge = (limitBytes: number) =>
  refuse(
    'payload_too_large',
    `The body is larger than ${limitBytes} bytes.`,
    { limit_bytes: limitBytes },
    { headers: { Connection: 'close' } },
  )

const jsonMediaType = /^application\/json(\s*;\s*charset=("utf-8"|utf-8))?\s*$/i

/**
 * Exactly application/json: validation hangs on the route, never on what the caller says it sent.
 */
export const checkMediaType = (request: IncomingMessage): void => {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse(
      'unsupported_media_type',
      `Content-Encoding ${encoding} is not accepted: send the body as it is.`,
    )
  }
  if (type === undefined || !jsonMediaType.test(type)) {
    throw refuse(
      'unsupported_media_type',
      `Content-Type ${type ?? '(none)'} is not accepted: send application/json.`,
    )
  }
}
