/**
 * Addresses: contract 3, reliability 2 "CIDR allow-list" and 4.7.
 *
 * ipaddr.js parses, matches and writes addresses; this module decides which texts count as one. An
 * address is its bytes, 4 or 16 of them. IPv4-mapped IPv6 (`::ffff:a.b.c.d`, what a dual-stack
 * listener reports for IPv4) becomes 4 bytes when it is parsed, so one address has one form and an
 * IPv4 rule cannot be bypassed in another notation. An IPv6 rule never matches an IPv4 address,
 * `::/0` included.
 */
import ipaddr from 'ipaddr.js'

/** A range: the first address and the number of leading bits that count. Host bits are zero. */
export type Cidr = { base: Uint8Array; prefixBits: number }

/**
 * Text → 4 or 16 bytes; undefined for anything else. IPv4 is four decimal numbers without leading
 * zeros; IPv6 is RFC 4291 2.2 with `::` and an IPv4 tail, in either case; zone ids are refused.
 */
export const parseAddress = (text: string): Uint8Array | undefined => {
  if (text.length > longestAddressCharacters) return undefined
  if (!text.includes(':')) return parseIpv4(text)
  const isStrict = !text.includes('.') || parseIpv4(text.slice(text.lastIndexOf(':') + 1))
  // The library would read `::1.2.3.4`, an IPv6 address of its own, as the mapped 1.2.3.4.
  const written = text.replace(/^::(?=\d+\.)/, '0:0:0:0:0:0:')
  if (!isStrict || text.includes('%') || !ipaddr.IPv6.isValid(written)) return undefined
  return Uint8Array.from(ipaddr.process(written).toByteArray())
}

/** The name or address in a URL, which writes IPv6 in brackets. */
export const hostOf = ({ hostname }: Pick<URL, 'hostname'>): string =>
  hostname.replace(/^\[|\]$/g, '')

/** The library also reads octal, hexadecimal and short forms. */
const parseIpv4 = (text: string): Uint8Array | undefined =>
  ipaddr.IPv4.isValidFourPartDecimal(text)
    ? Uint8Array.from(ipaddr.IPv4.parse(text).octets)
    : undefined

/**
 * `10.0.0.0/8`, `2001:db8::/32`, or one address alone, which is a range of one. A mapped range
 * `::ffff:10.0.0.0/104` is the IPv4 range `10.0.0.0/8`. The message says what to send instead.
 */
export const parseCidr = (
  text: string,
): { ok: true; cidr: Cidr } | { ok: false; message: string } => {
  const slash = text.indexOf('/')
  const base = parseAddress(slash === -1 ? text : text.slice(0, slash))
  if (base === undefined) {
    const example = 'Send a range like 203.0.113.0/24 or 2001:db8::/32.'
    return {
      ok: false,
      message: `${quotedInput(text)} does not start with an IP address. ${example}`,
    }
  }
  const isMappedRange = base.length === 4 && text.includes(':')
  const writtenBits = isMappedRange ? 128 : base.length * 8
  const written = slash === -1 ? writtenBits : parsePrefix(text.slice(slash + 1), writtenBits)
  if (written === undefined) {
    const rule = `a number from 0 to ${writtenBits} without leading zeros`
    return { ok: false, message: `The prefix length of ${quotedInput(text)} must be ${rule}.` }
  }
  const prefixBits = isMappedRange ? written - mappedPrefixBits : written
  if (prefixBits < 0) {
    const advice = `Send a mapped range with at least /${mappedPrefixBits}, or an IPv4 range.`
    return { ok: false, message: `${quotedInput(text)} has host bits set. ${advice}` }
  }
  const range = `${networkAddress({ base, prefixBits })}/${prefixBits}`
  if (formatCidr({ base, prefixBits }) !== range) {
    const single = formatCidr({ base, prefixBits: base.length * 8 })
    const advice = `Send ${range} for the range or ${single} for this one address.`
    return { ok: false, message: `${quotedInput(text)} has host bits set. ${advice}` }
  }
  return { ok: true, cidr: { base, prefixBits } }
}

/** Whether the address lies in the range; never when one is IPv4 and the other IPv6. */
export const cidrContains = ({ base, prefixBits }: Cidr, address: Uint8Array): boolean =>
  address.length === base.length && fromBytes(address).match(fromBytes(base), prefixBits)

/**
 * The caller's address in canonical form: the peer or, if the peer is a trusted proxy, the
 * right-most entry of X-Forwarded-For that is not one. Each proxy appends the address it saw, so
 * the list is reliable from the right up to the first entry that is not trusted; anybody may have
 * written the entries left of it. At an entry that is no address, the last trusted hop counts as
 * the caller, which is never an address of the sender's choice. A peer without an address (a Unix
 * socket, or one with a zone) is returned unchanged and is in no range.
 */
export const callerAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly Cidr[],
): string => {
  const peerAddress = parseAddress(peer)
  if (peerAddress === undefined) return peer
  const header = forwardedFor ?? ''
  let caller = peerAddress
  let end = header.length
  while (end >= 0 && trustedProxies.some((range) => cidrContains(range, caller))) {
    const start = header.lastIndexOf(',', end - 1) + 1
    const entry = parseAddress(header.slice(start, end).trim())
    if (entry === undefined) break
    caller = entry
    end = start - 1
  }
  return formatAddress(caller)
}

/**
 * What one caller holds: an IPv4 address, or the /64 of an IPv6 address with all its 2^64. A text
 * that is no address is returned unchanged.
 */
export const networkOf = (address: string): string =>
  address.includes(':') ? prefixOf(address, 8) : address

/** What one provider gives out: an IPv4 /24, or an IPv6 /48. */
export const blockOf = (address: string): string => prefixOf(address, address.includes(':') ? 6 : 3)

const prefixOf = (address: string, bytesKept: number): string => {
  const bytes = parseAddress(address)
  if (bytes === undefined) return address
  const base = bytes.map((byte, i) => (i < bytesKept ? byte : 0))
  return formatCidr({ base, prefixBits: bytesKept * 8 })
}

/** Whether only programs of this machine reach a server that listens there. */
export const isLoopback = (host: string): boolean => {
  const bytes = parseAddress(host)
  return host === 'localhost' || (bytes !== undefined && isLoopbackAddress(bytes))
}

export const isLoopbackAddress = (address: Uint8Array): boolean =>
  fromBytes(address).range() === 'loopback'

/** Whether every machine calls itself by this address: loopback, or none in particular. */
export const namesItsCaller = (address: Uint8Array): boolean =>
  ['loopback', 'unspecified'].includes(fromBytes(address).range())

/**
 * Whether a third party's server may have this address: global unicast, and nothing that is
 * reserved, local to a network or a machine, or an IPv6 form of IPv4 (reliability 4.6). Such forms
 * are refused whatever they contain: no server needs one, and a relay could reach anything.
 */
export const isPublicAddress = (address: Uint8Array): boolean => {
  const parsed = fromBytes(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' ? !parsed.match(cloudHost) : parsed.match(globalUnicast)
}

/** Canonical text of 4 or 16 bytes: dotted decimal, or RFC 5952. */
export const formatAddress = (address: Uint8Array): string => fromBytes(address).toString()

/** Canonical text of a range, the form in which rules are stored. */
export const formatCidr = ({ base, prefixBits }: Cidr): string =>
  `${formatAddress(base)}/${prefixBits}`

const longestAddressCharacters = 45 // 0000:0000:0000:0000:0000:ffff:255.255.255.255
const mappedPrefixBits = 96
const prefixPattern = /^(?:0|[1-9][0-9]{0,2})$/

/** The metadata service of a cloud, in the public range. */
const cloudHost = ipaddr.parseCIDR('168.63.129.16/32')

/** All IPv6 that IANA has assigned; the library counts unassigned ranges as unicast, too. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

const fromBytes = (address: Uint8Array) => ipaddr.fromByteArray(Array.from(address))

const parsePrefix = (text: string, maxBits: number): number | undefined =>
  prefixPattern.test(text) && Number(text) <= maxBits ? Number(text) : undefined

const networkAddress = (cidr: Cidr): string => {
  const family = cidr.base.length === 4 ? ipaddr.IPv4 : ipaddr.IPv6
  return family.networkAddressFromCIDR(formatCidr(cidr)).toString()
}

/** The caller's text as a message shows it. */
const quotedInput = (text: string): string =>
  JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
