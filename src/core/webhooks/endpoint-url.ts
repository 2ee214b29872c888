/**
 * What the text of an endpoint's url tells without asking the network (contract 4, reliability
 * 4.6). The url is parsed once, by the WHATWG rules that the client follows as well: they turn
 * `0x7f.1`, `2130706433`, octal and fullwidth digits and a trailing dot into the one address they
 * mean.
 */
import { limits } from '../../contract/limits.ts'
import type { Problem } from '../../contract/problem.ts'
import { isPublicAddress, parseAddress } from '../identity/ip-addresses.ts'

export interface EndpointUrl {
  /** As it is stored and sent to. */
  href: string
  /** A name, or an address without brackets. */
  hostname: string
  /** The address, when the host is one. */
  address: Uint8Array | undefined
}

/** `allowsPrivate`: practice on one machine, http and private addresses included. */
export const parseEndpointUrl = (
  text: string,
  { allowsPrivate }: { allowsPrivate: boolean },
): { ok: true; url: EndpointUrl } | { ok: false; problem: Problem } => {
  const wrong = (message: string, fix: string) =>
    ({ ok: false, problem: { param: '/url', code: 'invalid_value', message, fix } }) as const
  const example = 'send an https address like https://example.com/webhooks'
  // The URL parser drops these wherever they stand: what is shown would not be what is called.
  if (/[^\x21-\x7e\u0080-\u{10ffff}]/u.test(text)) return wrong('A url has no spaces.', example)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return wrong('This is not a url.', example)
  if (url.protocol !== 'https:' && !(allowsPrivate && url.protocol === 'http:')) {
    return wrong(`Deliveries go to https, not to ${url.protocol.slice(0, -1)}.`, example)
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    return wrong(
      'A url with credentials would keep them in plain sight.',
      'leave the credentials out and verify the signature instead',
    )
  }
  if (url.hash !== '' || text.includes('#')) {
    return wrong('A fragment is never sent.', 'leave out what follows the #')
  }
  if (url.port === '0') return wrong('Port 0 cannot be connected to.', example)
  if (url.href.length > limits.webhookUrlMaxLength) {
    return wrong(`Longer than ${limits.webhookUrlMaxLength} characters.`, 'send a shorter url')
  }
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (hostname === '') return wrong('The url names no host.', example)
  const address = parseAddress(hostname)
  if (address !== undefined && !allowsPrivate && !isPublicAddress(address)) {
    return wrong(
      `${hostname} is not a public address.`,
      'send an address that can be reached over the internet',
    )
  }
  return { ok: true, url: { href: url.href, hostname, address } }
}
