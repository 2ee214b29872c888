/** The digest of a canonical text, which whoever consents to the text repeats (domain 5.3). */
import { hash, timingSafeEqual } from 'node:crypto'

export const consentDigest = (text: string): string => `sha256:${hash('sha256', text)}`

/** Compares in constant time. */
export const isSameDigest = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
