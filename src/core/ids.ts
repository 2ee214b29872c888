/**
 * Ids: contract 1. The API shows TypeIDs (TypeID specification 0.3.0): a prefix, `_` and 26
 * characters of base32. The database stores a `uuid`. This module converts between the two.
 *
 * Invariants: uuid and text map one to one per prefix, so ids may be compared as text; ids of one
 * prefix sort by creation time, as a UUIDv7 begins with milliseconds.
 */
import { hash } from 'node:crypto'

/** Prefix → the resource it names, as in `details.resource` of `not_found`. */
export const resourceOfPrefix = {
  org: 'organization',
  con: 'connection',
  doc: 'document',
  key: 'key',
  whk: 'webhook',
  evt: 'event',
  dlv: 'delivery',
  att: 'attachment',
  pay: 'payment',
  acct: 'account',
  ttx: 'transaction',
  lst: 'listing',
  ofr: 'offer',
  agr: 'agreement',
  req: 'request',
  usr: 'user',
  ses: 'session',
  sbx: 'sandbox',
  inc: 'incident',
  inv: 'invitation',
  apr: 'approval',
  rul: 'approval_rule',
  cmt: 'comment',
  viw: 'saved_view',
  aud: 'audit_entry',
  psk: 'passkey',
} as const

export type IdPrefix = keyof typeof resourceOfPrefix

/**
 * `doc` and a uuid (36 characters, lower case) → `doc_01kb9ee0zbgj09tqm83xssss6y`.
 * Throws on a malformed uuid: it comes from us, never from a caller.
 */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  parseUuid(uuid)
  const start = firstDigit - 1 - prefix.length
  for (let i = 0; i < prefix.length; i += 1) idBuffer[start + i] = prefix.charCodeAt(i)
  // 128 bits are right-aligned in 130, so the first two digits hold only the first byte.
  idBuffer[firstDigit] = codeOfDigit[bytes[0]! >> 5]!
  idBuffer[firstDigit + 1] = codeOfDigit[bytes[0]! & 31]!
  for (let byte = 1, at = firstDigit + 2; byte < 16; byte += 5, at += 8) {
    const high = (bytes[byte]! << 12) | (bytes[byte + 1]! << 4) | (bytes[byte + 2]! >> 4)
    const low = ((bytes[byte + 2]! & 15) << 16) | (bytes[byte + 3]! << 8) | bytes[byte + 4]!
    idBuffer[at] = codeOfDigit[high >> 15]!
    idBuffer[at + 1] = codeOfDigit[(high >> 10) & 31]!
    idBuffer[at + 2] = codeOfDigit[(high >> 5) & 31]!
    idBuffer[at + 3] = codeOfDigit[high & 31]!
    idBuffer[at + 4] = codeOfDigit[low >> 15]!
    idBuffer[at + 5] = codeOfDigit[(low >> 10) & 31]!
    idBuffer[at + 6] = codeOfDigit[(low >> 5) & 31]!
    idBuffer[at + 7] = codeOfDigit[low & 31]!
  }
  return idBuffer.toString('latin1', start)
}

/**
 * The uuid (36 characters, lower case) in an id of this prefix. Undefined for another prefix, a
 * wrong length, upper case, a character outside the alphabet, and a first digit above 7, which
 * would need more than 128 bits. Any uuid version passes: the row decides whether it exists.
 */
export function decodeId(prefix: IdPrefix, id: string): string | undefined {
  const start = prefix.length + 1
  if (id.length !== start + 26 || !id.startsWith(prefix) || id[prefix.length] !== '_') {
    return undefined
  }
  const first = pairAt(id, start)
  let invalid = first > 0xff ? -1 : first
  bytes[0] = first
  for (let at = start + 2, byte = 1; at < id.length; at += 8, byte += 5) {
    const a = pairAt(id, at)
    const b = pairAt(id, at + 2)
    const c = pairAt(id, at + 4)
    const d = pairAt(id, at + 6)
    invalid |= a | b | c | d // one negative value keeps the sum negative
    const high = (a << 6) | (b >> 4)
    const low = ((b & 0xf) << 20) | (c << 10) | d
    bytes[byte] = high >> 8
    bytes[byte + 1] = high
    bytes[byte + 2] = low >> 16
    bytes[byte + 3] = low >> 8
    bytes[byte + 4] = low
  }
  return invalid < 0 ? undefined : formatUuid()
}

/** Random bytes that a UUIDv7 needs; 74 of their bits are used. */
export const uuidRandomBytes = 10

/**
 * A UUIDv7 (RFC 9562 section 5.7) from milliseconds since 1970 and the 10 random bytes at `from`.
 * Throws when the time is not an integer of 48 bits, and when there are fewer bytes.
 */
export function uuidv7(nowMs: number, random: Uint8Array, from = 0): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** 48) {
    throw new RangeError('a UUIDv7 needs whole milliseconds between 0 and 2^48')
  }
  if (random.length < from + uuidRandomBytes) {
    throw new RangeError('a UUIDv7 needs 10 random bytes')
  }
  const high = Math.floor(nowMs / 2 ** 32)
  bytes[0] = high >> 8
  bytes[1] = high
  bytes[2] = nowMs / 2 ** 24
  bytes[3] = nowMs / 2 ** 16
  bytes[4] = nowMs / 2 ** 8
  bytes[5] = nowMs
  for (let i = 0; i < uuidRandomBytes; i += 1) bytes[6 + i] = random[from + i]!
  bytes[6] = 0x70 | (bytes[6]! & 0x0f) // version
  bytes[8] = 0x80 | (bytes[8]! & 0x3f) // variant
  return formatUuid()
}

/** When a UUIDv7 was created, in milliseconds since 1970. */
export const timeOfUuid = (uuid: string): number =>
  Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

/** The lowest UUIDv7 of a millisecond: exactly those created earlier sort below it. */
export const firstUuidAt = (ms: number): string => uuidv7(ms, new Uint8Array(uuidRandomBytes))

/** A uuid derived from a name, for rows that are unique by name. */
export function uuidFromName(name: string): string {
  bytes.set(hash('md5', name, 'buffer'))
  return formatUuid()
}

/** The 16 bytes of a uuid, in a shared buffer that the next call in this file overwrites. */
export function bytesOfUuid(uuid: string): Uint8Array {
  parseUuid(uuid)
  return bytes
}

/** Crockford's base32 in lower case: no i, l, o, u. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const hexDigits = '0123456789abcdef'

/**
 * Shared buffers for assembling ids, as every response needs several: reading a string from bytes
 * costs half of joining pieces, and gives a flat string. JSON.stringify takes twice as long for an
 * object in which some string was joined from pieces.
 */
const bytes = new Uint8Array(16)
const firstDigit = Math.max(...Object.keys(resourceOfPrefix).map((prefix) => prefix.length)) + 1
const idBuffer = Buffer.from(`${'_'.repeat(firstDigit)}${'0'.repeat(26)}`, 'latin1')
const uuidBuffer = Buffer.from('00000000-0000-0000-0000-000000000000', 'latin1')

const codeOfDigit = Uint8Array.from(alphabet, (digit) => digit.charCodeAt(0))
const codeOfNibble = Uint8Array.from(hexDigits, (digit) => digit.charCodeAt(0))

/** Character code below 128 → digit; -1 outside the alphabet. */
const digitOfCode = tableOf(alphabet)
const nibbleOfCode = tableOf(hexDigits)

/** The offset of each byte's two characters in a uuid, between its hyphens. */
const offsetOfByte = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34)

function tableOf(alphabet: string): Int8Array {
  const table = new Int8Array(128).fill(-1)
  for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value
  return table
}

/** Parses a uuid into `bytes`. */
function parseUuid(uuid: string): void {
  let invalid = uuid.length === 36 ? 0 : -1
  for (let index = 0; index < 16; index += 1) {
    const offset = offsetOfByte[index]!
    const high = nibbleOfCode[uuid.charCodeAt(offset)] ?? -1
    const byte = (high << 4) | (nibbleOfCode[uuid.charCodeAt(offset + 1)] ?? -1)
    invalid |= byte // one negative value keeps the sum negative
    bytes[index] = byte
  }
  const hyphens = uuid[8] === '-' && uuid[13] === '-' && uuid[18] === '-' && uuid[23] === '-'
  if (invalid < 0 || !hyphens) throw new TypeError('a uuid has 36 characters, in lower case')
}

/** Formats the uuid in `bytes`. */
function formatUuid(): string {
  for (let index = 0; index < 16; index += 1) {
    const offset = offsetOfByte[index]!
    uuidBuffer[offset] = codeOfNibble[bytes[index]! >> 4]!
    uuidBuffer[offset + 1] = codeOfNibble[bytes[index]! & 15]!
  }
  return uuidBuffer.toString('latin1')
}

/** Two base32 digits → 10 bits; negative when one of them is not a digit. */
function pairAt(id: string, at: number): number {
  const high = digitOfCode[id.charCodeAt(at)] ?? -1
  return (high << 5) | (digitOfCode[id.charCodeAt(at + 1)] ?? -1)
}
