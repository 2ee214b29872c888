/**
 * Ids: contract.md 1. Outside, an id is a TypeID (TypeID specification 0.3.0): a prefix, `_` and
 * 26 characters of base32. Inside, it is the `uuid` that PostgreSQL stores. Here is the border.
 *
 * Invariants: one uuid has exactly one text per prefix and the reverse, so ids may be compared as
 * text; ids of one prefix sort by the time of their making, as UUIDv7 begins with milliseconds.
 */

import { hash } from 'node:crypto'

/** Prefix → what it names, as `details.resource` of `not_found` says it. */
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
} as const

export type IdPrefix = keyof typeof resourceOfPrefix

/**
 * `doc` and a uuid (36 characters, lower case) → `doc_01kb9ee0zbgj09tqm83xssss6y`.
 * Throws on a malformed uuid: it comes from us, never from a caller.
 */
export function encodeId(prefix: IdPrefix, uuid: string): string {
  if (!isUuid(uuid)) throw new TypeError('a uuid has 36 characters, in lower case')
  // 128 bits stand right-aligned in 130, so the first two characters hold the first byte alone.
  let id = prefix + '_' + digitPairs[byteAt(uuid, 0)]
  for (let index = 1; index < 16; index += 5) {
    const high = (byteAt(uuid, index) << 8) | byteAt(uuid, index + 1)
    const low =
      (byteAt(uuid, index + 2) << 16) | (byteAt(uuid, index + 3) << 8) | byteAt(uuid, index + 4)
    id += digitPairs[high >> 6]
    id += digitPairs[((high & 0x3f) << 4) | (low >> 20)]
    id += digitPairs[(low >> 10) & 0x3ff]
    id += digitPairs[low & 0x3ff]
  }
  return id
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
  let hex = hexOfByte[first & 0xff] ?? ''
  for (let at = start + 2; at < id.length; at += 8) {
    const a = pairAt(id, at)
    const b = pairAt(id, at + 2)
    const c = pairAt(id, at + 4)
    const d = pairAt(id, at + 6)
    invalid |= a | b | c | d // one negative value keeps the sum negative
    const high = (a << 6) | (b >> 4)
    const low = ((b & 0xf) << 20) | (c << 10) | d
    hex += hexOfByte[(high >> 8) & 0xff]
    hex += hexOfByte[high & 0xff]
    hex += hexOfByte[(low >> 16) & 0xff]
    hex += hexOfByte[(low >> 8) & 0xff]
    hex += hexOfByte[low & 0xff]
  }
  return invalid < 0 ? undefined : withHyphens(hex)
}

/**
 * A UUIDv7 (RFC 9562 section 5.7) from milliseconds since 1970 and 10 random bytes, of which 74
 * bits are used. Throws when the time has a fraction or no 48 bits hold it.
 */
export function uuidv7(nowMs: number, random: Uint8Array): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= 2 ** 48) {
    throw new RangeError('a UUIDv7 needs whole milliseconds between 0 and 2^48')
  }
  if (random.length !== 10) throw new RangeError('a UUIDv7 needs exactly 10 random bytes')
  const [a = 0, b = 0, c = 0, ...rest] = random
  const version = 0x70 | (a & 0x0f)
  const variant = 0x80 | (c & 0x3f)
  let hex = nowMs.toString(16).padStart(12, '0')
  for (const byte of [version, b, variant, ...rest]) hex += hexOfByte[byte]
  return withHyphens(hex)
}

/** When a UUIDv7 was made, in milliseconds since 1970. */
export const timeOfUuid = (uuid: string): number =>
  Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)

/** The least UUIDv7 of a millisecond: those made before it are below, all others are not. */
export const firstUuidAt = (ms: number): string => uuidv7(ms, new Uint8Array(10))

/** The uuid that follows from a name: for rows of which each name has one. */
export function uuidOfName(name: string): string {
  return withHyphens(hash('md5', name))
}

/** A loop over the table: a third of what the pattern would cost, and every answer asks thrice. */
function isUuid(text: string): boolean {
  if (text.length !== 36) return false
  for (let at = 0; at < 36; at += 1) {
    const isHyphen = at === 8 || at === 13 || at === 18 || at === 23
    const code = text.charCodeAt(at)
    if (isHyphen ? code !== 45 : (nibbleOfCode[code] ?? -1) < 0) return false
  }
  return true
}

/** Crockford's base32 in lower case: no i, l, o, u. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 10 bits → two digits. */
const digitPairs = Array.from(
  { length: 1024 },
  (_, bits) => alphabet.charAt(bits >> 5) + alphabet.charAt(bits & 31),
)

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Character code below 128 → digit, -1 for what is not in the alphabet. */
const digitOfCode = tableOf(alphabet)
const nibbleOfCode = tableOf('0123456789abcdef')

/** Where the two characters of each byte stand in a uuid, between its hyphens. */
const offsetOfByte = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34)

function tableOf(digits: string): Int8Array {
  const table = new Int8Array(128).fill(-1)
  for (let value = 0; value < digits.length; value += 1) table[digits.charCodeAt(value)] = value
  return table
}

function byteAt(uuid: string, index: number): number {
  const offset = offsetOfByte[index] ?? 0
  const high = nibbleOfCode[uuid.charCodeAt(offset)] ?? 0
  return (high << 4) | (nibbleOfCode[uuid.charCodeAt(offset + 1)] ?? 0)
}

/** Two base32 digits → 10 bits; negative when one of them is no digit. */
function pairAt(id: string, at: number): number {
  const high = digitOfCode[id.charCodeAt(at)] ?? -1
  return (high << 5) | (digitOfCode[id.charCodeAt(at + 1)] ?? -1)
}

function withHyphens(hex: string): string {
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return `${a}-${b}-${c}-${d}-${hex.slice(20)}`
}
