/**
 * HMAC-SHA256 (RFC 2104) of short messages. `createHmac` makes two native objects per message, and
 * the garbage collector has to finalize them; two one-shot hashes take half as long
 * (docs/decisions/0049). Every write computes three of them, and every page one.
 */
import { createHmac, hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32

/** The length of a MAC, or of the hash of a request, that is stored: 128 bits. */
export const storedMacBytes = 16

/** The key in both of its paddings, each at the start of a buffer that a message is written to. */
interface PaddedKey {
  inner: Buffer
  outer: Buffer
}

const paddedKeys = new WeakMap<Buffer, PaddedKey>()
/** Holds a document's row with its content, which every read of it checks. */
const scratchBytes = 49_152

/** The key has 32 to 64 bytes; longer or shorter ones are bugs, and so is changing it. */
export const hmacSha256 = (key: Buffer, message: string | Buffer): Buffer => {
  // A character of UTF-16 has at most three bytes in UTF-8.
  const bytesMax = typeof message === 'string' ? message.length * 3 : message.length
  if (bytesMax > scratchBytes) return createHmac('sha256', key).update(message).digest()
  const { inner, outer } = paddedKeyOf(key)
  const length =
    typeof message === 'string' ? inner.write(message, blockBytes) : message.copy(inner, blockBytes)
  // As a string, a digest costs half as much as in a buffer of its own.
  outer.write(
    hash('sha256', inner.subarray(0, blockBytes + length), 'binary'),
    blockBytes,
    'latin1',
  )
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1')
}

const paddedKeyOf = (key: Buffer): PaddedKey => {
  let padded = paddedKeys.get(key)
  if (padded === undefined) {
    if (key.length < digestBytes || key.length > blockBytes) {
      throw new RangeError('a key has 32 to 64 bytes')
    }
    const inner = Buffer.alloc(blockBytes + scratchBytes, 0)
    const outer = Buffer.alloc(blockBytes + digestBytes, 0)
    for (let i = 0; i < blockBytes; i += 1) {
      inner[i] = (key[i] ?? 0) ^ 0x36
      outer[i] = (key[i] ?? 0) ^ 0x5c
    }
    paddedKeys.set(key, (padded = { inner, outer }))
  }
  return padded
}
