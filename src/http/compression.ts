/** Compressed copies of the texts that are the same for everybody: docs, OpenAPI, verifiers. */
import type { IncomingMessage } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import { LruMap as Lru } from 'toad-cache'
import { limits } from '../contract/limits.ts'

export interface CompressedText {
  encoding: 'br' | 'gzip'
  bytes: Buffer
}

/** Each text is compressed once per deployment, which takes some 10 ms for 400 KB. */
const compress = {
  br: (text: string) =>
    brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text: string) => gzipSync(text),
}

const copies = new Lru<Buffer>(limits.compressedTextsMax)

/** Undefined for a short text, and for a client that takes none of the encodings. */
export const compressedText = (
  request: IncomingMessage,
  text: string,
  etag: string,
): CompressedText | undefined => {
  if (text.length < limits.compressedTextMinLength) return undefined
  // Negotiator prefers the order of the list among encodings that the client accepts alike.
  const encoding = new Negotiator(request).encoding(['br', 'gzip', 'identity'])
  if (encoding !== 'br' && encoding !== 'gzip') return undefined
  const key = `${encoding} ${etag}`
  let bytes = copies.get(key)
  if (bytes === undefined) copies.set(key, (bytes = compress[encoding](text)))
  return { encoding, bytes }
}
