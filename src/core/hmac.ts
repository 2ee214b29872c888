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
export const hmacSha256 = (key: Buffer, message: string | Buffer): Buffer =>
  Buffer.from(macText(key, [message]), 'latin1')

/**
 * The first bytes of the MAC of parts that follow each other, behind a header. Joining long parts
 * first would copy each of them.
 */
export const storedMac = (
  key: Buffer,
  parts: readonly (string | Buffer)[],
  header: ArrayLike<number> = [],
): Buffer => {
  const stored = Buffer.allocUnsafe(header.length + storedMacBytes)
  for (let i = 0; i < header.length; i += 1) stored[i] = header[i]!
  stored.write(macText(key, parts), header.length, storedMacBytes, 'latin1')
  return stored
}

/** As a string of bytes, which costs half as much as a buffer of its own. */
const macText = (key: Buffer, parts: readonly (string | Buffer)[]): string => {
  // A character of UTF-16 has at most three bytes in UTF-8.
  let bytesMax = 0
  for (const part of parts) bytesMax += typeof part === 'string' ? part.length * 3 : part.length
  if (bytesMax > scratchBytes) return macOfLongText(key, parts)
  const { inner, outer } = paddedKeyOf(key)
  let end = blockBytes
  for (const part of parts) {
    end += typeof part === 'string' ? inner.write(part, end) : part.copy(inner, end)
  }
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'latin1')
  return hash('sha256', outer, 'binary')
}

const macOfLongText = (key: Buffer, parts: readonly (string | Buffer)[]): string => {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest('binary')
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
