/**
 * The two codes of a device sign-in (RFC 8628): one that the program keeps, with 192 random bits,
 * and a short one that a person reads there and types elsewhere.
 */
import { limits } from '../../contract/limits.ts'

/** RFC 8628 6.1: consonants only, so that no code is a word, and no letter looks like a digit. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
/** Below it the remainder of a byte is uniform, above it the byte is rejected. */
const unbiasedBelow = 240

/** Random bytes that `userCodeFrom` needs: it runs short less than once in 10^14 codes. */
export const userCodeRandomBytes = 24

/** Throws when the bytes run short. */
export const userCodeFrom = (random: Uint8Array): string => {
  const letters = [...random]
    .filter((byte) => byte < unbiasedBelow)
    .slice(0, limits.userCodeLetters)
    .map((byte) => alphabet[byte % alphabet.length])
  if (letters.length < limits.userCodeLetters) throw new RangeError('too few random bytes')
  return letters.join('')
}

/** 'WDJBMJHT' → 'WDJB-MJHT' */
export const formatUserCode = (code: string): string => {
  const half = limits.userCodeLetters / 2
  return `${code.slice(0, half)}-${code.slice(half)}`
}

/** A code as a person types it; undefined if it cannot be one. */
export const readUserCode = (text: string): string | undefined => {
  const code = text.replaceAll(/[\s\p{Pd}]/gu, '').toUpperCase()
  const isCode =
    code.length === limits.userCodeLetters && [...code].every((one) => alphabet.includes(one))
  return isCode ? code : undefined
}

/** The text of which a MAC of the short code is made; it differs from every credential. */
export const userCodeText = (code: string): string => `user code ${code}`

export const deviceCodeBytes = 24

export const deviceCodeFrom = (random: Buffer): string => `dc_${random.toString('base64url')}`

export const isDeviceCode = (text: string): boolean => /^dc_[0-9A-Za-z_-]{32}$/.test(text)
