/**
 * One-time sign-in links. A link that somebody has asked for consists of the token in the mail and
 * of a secret that the browser keeps in a cookie: neither of them signs in alone, so a link that is
 * forwarded, or read by others, is worth nothing. An operator's link works in every browser.
 */
import { createHash } from 'node:crypto'

/** Random bytes of a token, and of the secret of a browser. */
export const linkRandomBytes = 24

const tokenPattern = /^sl_[0-9A-Za-z_-]{32}$/
const secretPattern = /^[0-9A-Za-z_-]{32}$/

export const linkTokenOf = (random: Buffer): string => `sl_${random.toString('base64url')}`

export const isLinkToken = (text: string): boolean => tokenPattern.test(text)

export const isBrowserSecret = (text: string): boolean => secretPattern.test(text)

export const browserHashOf = (secret: string): Buffer =>
  createHash('sha256').update(`browser of a link\n${secret}`).digest()

/** The whole of a link that somebody has asked for. */
export const boundLink = (token: string, browserHash: Buffer): string =>
  `${token}.${browserHash.toString('base64url')}`

/** The part of a link that its user is sent. */
export const sentPart = (link: string): string => link.split('.')[0]!
