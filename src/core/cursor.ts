/**
 * Cursors: contract.md 6. A cursor carries a position in a list to the client and back.
 *
 *   cursor = base64url(mac || position in UTF-8)
 *   mac    = the first 16 bytes of HMAC-SHA256(key, label || length of scope || scope || position)
 *
 * The scope is a hash of organization and filters. It is not sent, only signed: the same query
 * must bring it again, so a foreign cursor or one of another query fails like a forged one. The
 * position is readable for whoever decodes it, so it must hold nothing that the caller may not
 * know. No two texts open to one cursor, and no text but a sealed one opens at all.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { limits } from '../contract/limits.ts'

const maxCursorCharacters = limits.cursorMaxLength
const macBytes = 16
const maxPositionBytes = Math.floor((maxCursorCharacters * 3) / 4) - macBytes
/** Keeps these MACs apart from any other use of the same key. */
const label = Buffer.from('svc-cursor/1\n')

/**
 * The cursor of a position, 23 to 200 characters. Throws on an empty position, one of more than
 * 134 bytes of UTF-8, or a key of fewer than 32 bytes: these are ours, not the caller's.
 */
export function signCursor(key: Buffer, scope: Buffer | string, position: string): string {
  const body = Buffer.from(position, 'utf8')
  if (body.length === 0 || body.length > maxPositionBytes) {
    throw new RangeError(`a position has 1 to ${maxPositionBytes} bytes`)
  }
  return Buffer.concat([macOf(key, scope, body), body]).toString('base64url')
}

/**
 * The position in a cursor that was sealed with this key for this scope; undefined for any other
 * text. The caller answers 400 `invalid_cursor`.
 */
export function verifyCursor(
  key: Buffer,
  scope: Buffer | string,
  cursor: string,
): string | undefined {
  if (cursor.length > maxCursorCharacters) return undefined
  const bytes = Buffer.from(cursor, 'base64url')
  // Node ignores what is not base64url, and spare bits: only the text that we would write counts.
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
  return createHmac('sha256', key).update(signed).digest().subarray(0, macBytes)
}
