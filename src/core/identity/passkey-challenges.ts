/**
 * Challenges for passkeys, of which nothing is stored: each says when it was made, under a MAC that
 * the caller adds. What a site is to a passkey follows from its address.
 */
import { limits } from '../../contract/limits.ts'
import { hostOf, parseAddress } from './ip-addresses.ts'

export interface Challenge {
  /** Milliseconds since 1970. */
  madeAtMs: number
  nonce: string
  mac: string
}

/** As the authenticator gets it: the bytes of the text, in base64url. */
export const formatChallenge = ({ madeAtMs, nonce, mac }: Challenge): string =>
  Buffer.from(`pc_${madeAtMs.toString(36)}_${nonce}_${mac}`).toString('base64url')

const pattern = /^pc_([0-9a-z]{1,12})_([0-9a-f]{32})_([0-9A-Za-z_-]{16,64})$/

/** Undefined if no challenge of ours has this form. */
export const readChallenge = (text: string): Challenge | undefined => {
  const [, madeAt, nonce, mac] = pattern.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (madeAt === undefined) return undefined
  return { madeAtMs: Number.parseInt(madeAt, 36), nonce: nonce!, mac: mac! }
}

export const isChallengeOpen = ({ madeAtMs }: Challenge, nowMs: number): boolean =>
  madeAtMs <= nowMs && nowMs < madeAtMs + limits.passkeyChallengeLifetimeMs

interface ClientData {
  crossOrigin?: unknown
  topOrigin?: unknown
}

/**
 * Whether a page of another origin has embedded ours, by what the browser says. No other site may
 * embed this one, so nobody answers from there who knows what they answer. Throws unless it is
 * JSON.
 */
export const isCrossOrigin = (clientDataJSON: string): boolean => {
  const text = Buffer.from(clientDataJSON, 'base64url').toString()
  const { crossOrigin = false, topOrigin } = JSON.parse(text) as ClientData
  return crossOrigin !== false || topOrigin !== undefined
}

export interface PasskeySite {
  /** Where pages may use a passkey. */
  origin: string
  /** What its passkeys are bound to. */
  domain: string
}

/** Undefined where browsers allow no passkeys: over plain http, and without a name. */
export const passkeySiteOf = (baseUrl: string): PasskeySite | undefined => {
  const { origin, hostname, protocol } = new URL(baseUrl)
  const isName = parseAddress(hostOf({ hostname })) === undefined
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isName && isSecure ? { origin, domain: hostname } : undefined
}
