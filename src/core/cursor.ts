/**
 * List cursors: contract 6. A cursor carries a position in a list to the client and back.
 *
 *   cursor = base64url(mac || position in UTF-8)
 *   mac    = the first 16 bytes of HMAC-SHA256(key, label || length of scope || scope || position)
 *
 * The scope is a hash of organization and filters. It is signed but not sent, so a cursor of
 * another organization or query fails like a forged one. The client can decode the position, so it
 * must not contain anything that the caller may not know. Exactly one text is valid per cursor.
 */
import { timingSafeEqual } from 'node:crypto'
import { limits } from '../contract/limits.ts'
import { hmacSha256 } from './hmac.ts'

const macBytes = 16
const maxPositionBytes = Math.floor((limits.cursorMaxLength * 3) / 4) - macBytes
/** Separates these MACs from any other use of the same key. */
const label = Buffer.from('svc-cursor/1\n')

/**
 * The cursor of a position, 23 to 200 characters. Throws on an empty position, one of more than
 * 134 bytes of UTF-8, or a key of fewer than 32 bytes: these are bugs, not input errors.
 */
export function signCursor(key: Buffer, scope: Buffer | string, position: string): string {
  const body = Buffer.from(position, 'utf8')
  if (body.length === 0 || body.length > maxPositionBytes) {
    throw new RangeError(`a position has 1 to ${maxPositionBytes} bytes`)
  }
  return Buffer.concat([macOf(key, scope, body), body]).toString('base64url')
}

/**
 * The position in a cursor that was signed with this key for this scope; undefined for any other
 * text, which the caller refuses with 400 `invalid_cursor`.
 */
export function verifyCursor(
  key: Buffer,
  scope: Buffer | string,
  cursor: string,
): string | undefined {
  if (cursor.length > limits.cursorMaxLength) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  // Node ignores invalid characters and spare bits, so compare with the text that we would write.
  if (bytes.length <= macBytes || bytes.toString('base64url') !== cursor) return undefined
  const body = bytes.subarray(macBytes)
  if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(key, scope, body))) return undefined
  return body.toString('utf8')
}

function macOf(key: Buffer, scope: Buffer | string, body: Buffer): Buffer {
  if (key.length < 32) throw new RangeError('a cursor key has at least 32 bytes')
  const scopeBytes = typeof scope === 'string' ? Buffer.from(scope, 'utf8') : scope
  const scopeLength = Buffer.alloc(4)
  scopeLength.writeUInt32BE(scopeBytes.length)
  const signed = Buffer.concat([label, scopeLength, scopeBytes, body])
  return hmacSha256(key, signed).subarray(0, macBytes)
}
