/**
 * The cookies of browsers, and from which pages a browser may send that of a sign-in. They reach
 * /auth alone, so nothing under /v1 can be done with them.
 */
import { limits } from '../../contract/limits.ts'
import { hostOf, isLoopback } from './ip-addresses.ts'

interface AuthCookie {
  name: string
  lifetimeMs: number
  sameSite: 'Strict' | 'Lax'
}

/** Gets a signed-in browser its next token. */
const refreshCookie: AuthCookie = {
  name: 'svc_refresh',
  lifetimeMs: limits.browserIdleMs,
  sameSite: 'Strict',
}

/** The half of a sign-in link that stays in the browser that asked for it. */
export const linkCookie: AuthCookie = {
  name: 'svc_link',
  lifetimeMs: limits.requestedLinkLifetimeMs,
  sameSite: 'Strict',
}

/** What a browser keeps while its user signs in elsewhere; it comes back from another site. */
export const attemptCookieKind: AuthCookie = {
  name: 'svc_oidc',
  lifetimeMs: limits.oidcAttemptLifetimeMs,
  sameSite: 'Lax',
}

/** Browsers accept a cookie with the prefix over https only. */
const nameOf = (baseUrl: string, { name }: AuthCookie): string =>
  baseUrl.startsWith('https:') ? `__Secure-${name}` : name

/** The header Set-Cookie; null deletes the cookie. */
export const setCookieOf = (
  baseUrl: string,
  value: string | null,
  cookie: AuthCookie = refreshCookie,
): string =>
  [
    `${nameOf(baseUrl, cookie)}=${value ?? ''}`,
    `Max-Age=${value === null ? 0 : cookie.lifetimeMs / 1000}`,
    'Path=/auth',
    'HttpOnly',
    `SameSite=${cookie.sameSite}`,
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/** Undefined when the header Cookie has none, or more than one. */
export const cookieValueOf = (
  baseUrl: string,
  header: string | undefined,
  cookie: AuthCookie = refreshCookie,
): string | undefined => {
  const start = `${nameOf(baseUrl, cookie)}=`
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(start))
  return values.length === 1 ? values[0]!.slice(start.length) : undefined
}

/**
 * Whether a page of this deployment sent the request. On one machine, its names and addresses are
 * the same place.
 */
export const isOwnOrigin = (baseUrl: string, origin: string | undefined): boolean => {
  if (origin === undefined || !URL.canParse(origin)) return false
  const [own, sent] = [new URL(baseUrl), new URL(origin)]
  if (sent.origin === own.origin) return true
  const isSamePlace = own.protocol === sent.protocol && own.port === sent.port
  return isSamePlace && isLoopback(hostOf(own)) && isLoopback(hostOf(sent))
}

/** As it is stored: short, and without characters that no browser sends. */
export const shortUserAgent = (header: string | undefined): string | null =>
  header?.replaceAll(/[^ -~]/g, '?').slice(0, limits.userAgentMaxLength) ?? null
