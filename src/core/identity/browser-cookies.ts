/**
 * The cookie of a signed-in browser, and from which pages a browser may send it. It reaches /auth
 * alone, so nothing under /v1 can be done with it.
 */
import { limits } from '../../contract/limits.ts'
import { isLoopback } from './ip-addresses.ts'

/** Browsers accept a cookie with the prefix over https only. */
const cookieNameOf = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Secure-svc_refresh' : 'svc_refresh'

/** The header Set-Cookie; null deletes the cookie. */
export const setCookieOf = (baseUrl: string, value: string | null): string =>
  [
    `${cookieNameOf(baseUrl)}=${value ?? ''}`,
    `Max-Age=${value === null ? 0 : limits.browserIdleMs / 1000}`,
    ...['Path=/auth', 'HttpOnly', 'SameSite=Strict'],
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

/** Undefined when the header Cookie has none, or more than one. */
export const cookieValueOf = (baseUrl: string, header: string | undefined): string | undefined => {
  const start = `${cookieNameOf(baseUrl)}=`
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
  return isSamePlace && isLoopback(own.hostname) && isLoopback(sent.hostname)
}

/** As it is stored: short, and without characters that no browser sends. */
export const shortUserAgent = (header: string | undefined): string | null =>
  header?.replaceAll(/[^ -~]/g, '?').slice(0, limits.userAgentMaxLength) ?? null
