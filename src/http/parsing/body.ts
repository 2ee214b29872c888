/** Reads the body of a request that no earlier check has refused, up to a limit. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { invalidRequest, refuse } from '../../contract/errors.ts'

interface Incoming {
  request: IncomingMessage
  response: ServerResponse
}

export const readBody = async (incoming: Incoming, limitBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = []
  await receive(incoming, limitBytes, (chunk) => chunks.push(chunk))
  return Buffer.concat(chunks)
}

export interface BodyText {
  /** In bytes. */
  length: number
  /** Undefined when the bytes are not UTF-8. */
  text: string | undefined
}

/**
 * Decodes each chunk as it comes, apart from the first, which is mostly the only one and needs no
 * decoder of its own. Bytes and large texts are outside of the garbage collector's
 * heap: to keep 3 MiB of them for a body of 1 MiB made it collect everything, every few requests.
 */
export const readText = async (incoming: Incoming, limitBytes: number): Promise<BodyText> => {
  const pieces: string[] = []
  let length = 0
  let first: Buffer | undefined
  let decoder: TextDecoder | undefined
  let isText = true
  const decode = (chunk?: Buffer): void => {
    if (!isText) return
    try {
      decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      pieces.push(decoder.decode(chunk, { stream: chunk !== undefined }))
    } catch {
      isText = false
    }
  }
  await receive(incoming, limitBytes, (chunk) => {
    if (length === 0) first = chunk
    else {
      if (first !== undefined) decode(first)
      first = undefined
      decode(chunk)
    }
    length += chunk.length
  })
  if (first !== undefined) return { length, text: isUtf8(first) ? first.toString() : undefined }
  if (length > 0) decode()
  return { length, text: isText ? pieces.join('') : undefined }
}

/**
 * Tells a client that waits with its body for 100 Continue to send it (RFC 9110, 10.1.1). Without
 * it, a refusal ends the connection, so that nobody takes the body for the next request.
 */
export const askForBody = ({ request, response }: Incoming): void => {
  if (request.headers.expect !== undefined && request.httpVersion === '1.1') {
    response.writeContinue()
  }
}

const receive = (
  { request, response }: Incoming,
  limitBytes: number,
  take: (chunk: Buffer) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    // The request has no body (`optimizeEmptyRequests`).
    if (request.readableEnded) return resolve()
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limitBytes) return reject(payloadTooLarge(limitBytes))
    if (request.destroyed) return reject(bodyIncomplete())
    askForBody({ request, response })
    let total = 0
    request.on('data', (chunk: Buffer) => {
      total += chunk.length
      if (total <= limitBytes) return take(chunk)
      request.pause()
      reject(payloadTooLarge(limitBytes))
    })
    request.on('end', resolve)
    request.on('error', () => reject(bodyIncomplete()))
    request.on('close', () => {
      if (!request.complete) reject(bodyIncomplete())
    })
  })

/** The caller disconnected or sent broken chunks, so most likely nobody reads this response. */
export const bodyIncomplete = () =>
  invalidRequest({
    param: '',
    code: 'invalid_value',
    message: 'The body ended before it was complete.',
  })

/** Nothing takes the rest of the body, so the connection ends with the response. */
export const payloadTooLarge = (limitBytes: number) =>
  refuse(
    'payload_too_large',
    `The body is larger than ${limitBytes} bytes: send less at once.`,
    { limit_bytes: limitBytes },
    { headers: { Connection: 'close' } },
  )

/** A semicolon without a parameter means nothing (RFC 9110, 5.6.6). */
const jsonMediaType =
  /^application\/json((?:[ \t]*;)+[ \t]*charset=(?:"utf-8"|utf-8))?(?:[ \t]*;)*[ \t]*$/i

/** The names of codings have no case (RFC 9110, 8.4.1). */
export const isEncoded = ({ 'content-encoding': encoding }: IncomingHttpHeaders): boolean =>
  encoding !== undefined && encoding.toLowerCase() !== 'identity'

/** Only application/json: the route determines the schema, never the caller's Content-Type. */
export const checkMediaType = (request: IncomingMessage): void => {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  if (isEncoded(request.headers)) {
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
