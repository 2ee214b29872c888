/**
 * Validation of an endpoint URL without network access (contract 4, reliability 4.6). The URL is
 * parsed once, by the WHATWG rules that the client follows too: they normalize `0x7f.1`,
 * `2130706433`, octal and fullwidth digits and a trailing dot to one address.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { hostOf, isLoopback, isPublicAddress, parseAddress } from '../identity/ip-addresses.ts'

export interface EndpointUrl {
  /** The normalized URL, as it is stored and called. */
  href: string
  /** A name, or an address without brackets. */
  hostname: string
  /** The host's address, if the host is an address. */
  address: Uint8Array | undefined
}

/**
 * What a receiver may be: public with https; also on this machine with http; or also at any private
 * address with http.
 */
export type Reach = 'public' | 'loopback' | 'private'

/** The receivers of live organizations are public, whatever the setting allows sandboxes. */
export const reachOf = (mode: string, sandboxReach: Reach): Reach =>
  mode === 'test' ? sandboxReach : 'public'

/** `hint` is added where another setting of the service would permit the URL. */
export const parseEndpointUrl = (
  text: string,
  { reach, hint = '' }: { reach: Reach; hint?: string },
): { ok: true; url: EndpointUrl } | { ok: false; problem: Problem } => {
  const wrong = (message: string, fix: string) =>
    ({ ok: false, problem: { param: '/url', code: 'invalid_value', message, fix } }) as const
  const example = 'send an https URL like https://example.com/webhooks'
  // The URL parser drops these characters, so the URL shown would not be the URL called.
  if (/[^\x21-\x7e\u0080-\u{10ffff}]/u.test(text)) {
    return wrong('Must not contain spaces or control characters.', example)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return wrong('Must be a URL.', example)
  const hostname = hostOf(url).replace(/\.$/, '')
  const isPractice = reach === 'private' || (reach === 'loopback' && isLoopback(hostname))
  if (url.protocol !== 'https:' && !(isPractice && url.protocol === 'http:')) {
    const message = `The scheme must be https, not ${url.protocol.slice(0, -1)}.`
    return wrong(message, example + hint)
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    return wrong(
      'Must not contain credentials.',
      'remove the credentials and verify the signature of each delivery instead',
    )
  }
  if (url.hash !== '' || text.includes('#')) {
    return wrong('Must not contain a fragment.', 'remove the # and everything after it')
  }
  if (url.port === '0') return wrong('Port 0 is not a valid port.', example)
  if (url.href.length > limits.webhookUrlMaxLength) {
    const message = `Must be at most ${limits.webhookUrlMaxLength} characters long.`
    return wrong(message, 'send a shorter URL')
  }
  if (hostname === '') return wrong('Must have a host.', example)
  const address = parseAddress(hostname)
  if (address !== undefined && !isPractice && !isPublicAddress(address)) {
    return wrong(
      `${hostname} is not a public address.`,
      `send a URL that can be reached over the internet${hint}`,
    )
  }
  return { ok: true, url: { href: url.href, hostname, address } }
}
