/**
 * What a browser keeps while its user signs in elsewhere: a random secret in a cookie. State, nonce
 * and PKCE verifier follow from it, so nothing that comes back fits another browser, or another
 * attempt of the same one.
 */
import { hmacSha256 } from '../hmac.ts'

/** What the browser takes to the provider, and comes back with. */
export interface AttemptSecrets {
  state: string
  nonce: string
  /** For PKCE (RFC 7636). */
  verifier: string
}

export interface Attempt {
  provider: string
  /** Where the browser goes on: a path of the console. */
  to: string
  /** Who connects the identity to their account, by which sign-in and where; null for a sign-in. */
  connecting: { user: string; signIn: string; organization: string } | null
}

export const attemptSecretBytes = 32

const derived = (secret: string, what: string): string =>
  hmacSha256(Buffer.from(secret, 'base64url'), `oidc ${what}`).toString('base64url')

export const secretsOf = (secret: string): AttemptSecrets => ({
  state: derived(secret, 'state'),
  nonce: derived(secret, 'nonce'),
  verifier: derived(secret, 'verifier'),
})

/** What is stored of an attempt is a MAC of this, so no part of it can be exchanged. */
export const attemptText = (secret: string, { provider, to, connecting }: Attempt): string =>
  JSON.stringify(['oidc attempt', secret, provider, to, connecting])

export const attemptCookie = (secret: string, { to, connecting }: Attempt): string =>
  `${secret}.${Buffer.from(JSON.stringify([to, connecting])).toString('base64url')}`

/** Undefined unless it has the form of one; whether it is one, the stored MAC says. */
export const parseAttemptCookie = (
  value: string | undefined,
  provider: string,
): { secret: string; attempt: Attempt } | undefined => {
  const [, secret, rest] = /^([\w-]{43})\.([\w-]{1,4000})$/.exec(value ?? '') ?? []
  if (secret === undefined || rest === undefined) return undefined
  try {
    const kept: unknown = JSON.parse(Buffer.from(rest, 'base64url').toString())
    const [to, connecting] = kept as [string, Attempt['connecting']]
    // Without an organization, an earlier release began the attempt.
    if (connecting !== null && typeof connecting.organization !== 'string') return undefined
    return { secret, attempt: { provider, to, connecting } }
  } catch {
    return undefined
  }
}

/** Only a page of an organization in the console: no address of anybody else. */
export const isReturnPath = (text: string): boolean => {
  const [isPlain, base] = [/^\/o\/[\w\-./~%?=&,:+]{1,1000}$/.test(text), 'http://a.invalid']
  return isPlain && new URL(`/app${text}`, base).pathname.startsWith('/app/o/')
}
