/**
 * Credentials: contract 3, reliability 4.1.
 *
 *   API key        rk_live_ dx1_ LLLLLLLL S{35} CCCCCC     61 characters; rk_test_ in a sandbox
 *   session token  rs_live_ T{32}                          40 characters; rs_test_ in a sandbox
 *
 * L (look-up) and S (secret) characters are base62; C is the CRC32 of all before it in base62; T is
 * base64url of 192 random bits. The checksum rejects typing errors and noise before any database
 * read. It is a filter, not security: security rests on 35 secret characters (208 bits) and on
 * storing only a MAC of the whole credential, under a key that the database never sees.
 */
import { crc32 } from 'node:zlib'

/** Live or sandbox. A credential names its mode, so no look-up is needed to know it. */
export type Mode = 'live' | 'test'

export type ApiKeyMaterial = {
  /** The secret, shown once. */
  key: string
  /** The first 20 characters; not secret, so they may be shown at any time. */
  prefix: string
}

/**
 * Random bytes that `mintKey` needs. It draws 43 characters and rejects one byte in 32, so 64 bytes
 * run short less than once in 10^16 keys.
 */
export const keyRandomBytes = 64

/** Random bytes that `mintSessionToken` needs: 192 bits. */
export const sessionRandomBytes = 24

/** A new API key from random bytes. Throws when they run short; retry with fresh bytes then. */
export function mintKey(mode: Mode, random: Uint8Array): ApiKeyMaterial {
  const characters = unbiasedBase62(random, lookUpCharacters + secretCharacters)
  const unchecked = `rk_${mode}_${keyVersion}${characters}`
  const key = unchecked + checksumOf(unchecked)
  return { key, prefix: key.slice(0, prefixCharacters) }
}

/** The mode of a text that has the form and the checksum of an API key; it may still be unknown. */
export function modeOfKey(text: string): Mode | undefined {
  const mode = keyPattern.exec(text)?.[1]
  const checked = text.length - checksumCharacters
  if (mode === undefined || checksumOf(text.slice(0, checked)) !== text.slice(checked)) {
    return undefined
  }
  return mode === 'live' ? 'live' : 'test'
}

/** A new session token from exactly 24 random bytes; throws on other counts. */
export function mintSessionToken(mode: Mode, random: Uint8Array): string {
  if (random.length !== sessionRandomBytes) {
    throw new RangeError(`a session token needs exactly ${sessionRandomBytes} random bytes`)
  }
  return `rs_${mode}_${Buffer.from(random).toString('base64url')}`
}

/** The mode of a text that has the form of a session token; it may still be unknown. */
export function modeOfSessionToken(text: string): Mode | undefined {
  const mode = sessionPattern.exec(text)?.[1]
  if (mode === undefined) return undefined
  return mode === 'live' ? 'live' : 'test'
}

/**
 * Removes everything that looks like a secret, whole or truncated, from text that is stored or
 * logged: callers put secrets into paths and headers by mistake. An API key keeps its prefix, which
 * is not secret.
 */
export function redactSecrets(text: string): string {
  const decoded = withDecodedSecrets(text)
  const redacted = redactPlain(decoded)
  if (decoded === text) return redacted
  // What hides no secret is shown as it was sent.
  return redacted === decoded ? redactPlain(text) : redacted
}

/** Letters, digits and signs of secrets, in any number of layers of percent-encoding. */
const encodedCharacter = /%(?:25)*(2[BbDdFf]|3[0-9Dd]|[46][1-9A-Fa-f]|5[0-9AaFf]|7[0-9Aa])/g
const decodedLayersMax = 8

/** Decodes nothing that delimits: the text stays a path, or a line of JSON. */
function withDecodedSecrets(text: string): string {
  let decoded = text
  for (let layer = 0; layer < decodedLayersMax && decoded.includes('%'); layer += 1) {
    decoded = decoded.replace(encodedCharacter, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return decoded
}

function redactPlain(text: string): string {
  return text.replace(secretPattern, (match, ...[keyPrefix, ...kinds]: (string | undefined)[]) =>
    match === keyPrefix ? match : `${keyPrefix ?? kinds[0] ?? kinds[1] ?? ''}…`,
  )
}

/** The underscore keeps secret scanners from mistaking our keys for another vendor's. */
const keyVersion = 'dx1_'
const lookUpCharacters = 8
const secretCharacters = 35
const checksumCharacters = 6
const prefixCharacters = 'rk_live_dx1_'.length + lookUpCharacters
const keyPattern = /^rk_(live|test)_dx1_[0-9A-Za-z]{49}$/
const sessionPattern = /^rs_(live|test)_[0-9A-Za-z_-]{32}$/

/**
 * API keys; session tokens, sign-in links, cookies, invitations, device codes and signing secrets;
 * download link tokens, which are 54 bytes in base64url without a prefix.
 */
const secretPattern = new RegExp(
  [
    '(rk_(?:live|test)_(?:dx1_)?[0-9A-Za-z]{0,8})[0-9A-Za-z_-]*',
    '(rs_(?:live|test)_|(?:sl|rf|st|mi|mt|dc)_(?=[0-9A-Za-z_-]{16}))[0-9A-Za-z_-]+',
    '(whsec_)[0-9A-Za-z+/=%_-]+',
    '(?<![0-9A-Za-z_-])[0-9A-Za-z_-]{72}(?![0-9A-Za-z_-])',
  ].join('|'),
  'g',
)
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 248 = 4 × 62: below it the remainder of a byte is uniform, above it the byte is rejected. */
const unbiasedBelow = 248

function unbiasedBase62(random: Uint8Array, length: number): string {
  let text = ''
  for (const byte of random) {
    if (byte < unbiasedBelow) text += base62.charAt(byte % 62)
    if (text.length === length) return text
  }
  throw new RangeError(`${random.length} random bytes gave ${text.length} of ${length} characters`)
}

/** Six digits hold any CRC32, as 62^6 > 2^32. */
function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let count = 0; count < checksumCharacters; count += 1) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
