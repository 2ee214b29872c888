/**
 * Addresses: contract.md 3, reliability.md 2 "CIDR allow-list" and 4.7.
 *
 * An address is its bytes, 4 or 16 of them. IPv4-mapped IPv6 (`::ffff:a.b.c.d`, what a dual-stack
 * listener reports for IPv4) becomes 4 bytes when it is parsed, so one address has one form and an
 * IPv4 rule cannot be passed by in another notation. An IPv6 rule never matches an IPv4 address,
 * `::/0` included. node:net is not used: its BlockList takes `10.0.0.1/8` and `/08`.
 */

/** A range: the first address and the number of leading bits that count. Host bits are zero. */
export type Cidr = { base: Uint8Array; prefixBits: number }

/**
 * Text → 4 or 16 bytes; undefined for anything else. IPv4 is four decimal numbers without leading
 * zeros; IPv6 is RFC 4291 2.2 with `::` and an IPv4 tail, in either case; zone ids are refused.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.length > longestAddressCharacters) return undefined
  if (!text.includes(':')) return parseIpv4(text)
  const bytes = parseIpv6(text)
  if (bytes === undefined) return undefined
  return isIpv4Mapped(bytes) ? bytes.subarray(12) : bytes
}

/**
 * `10.0.0.0/8`, `2001:db8::/32`, or one address alone, which is a range of one. A mapped range
 * `::ffff:10.0.0.0/104` is the IPv4 range `10.0.0.0/8`. The message says what to send instead.
 */
export function parseCidr(text: string): { ok: true; cidr: Cidr } | { ok: false; message: string } {
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
  const first = networkAddress(base, prefixBits)
  if (!equal(base, first)) {
    const range = formatCidr({ base: first, prefixBits })
    const single = formatCidr({ base, prefixBits: base.length * 8 })
    const advice = `Send ${range} for the range or ${single} for this one address.`
    return { ok: false, message: `${quotedInput(text)} has host bits set. ${advice}` }
  }
  return { ok: true, cidr: { base, prefixBits } }
}

/** Whether the address lies in the range; never when one is IPv4 and the other IPv6. */
export function cidrContains(cidr: Cidr, address: Uint8Array): boolean {
  const { base, prefixBits } = cidr
  if (address.length !== base.length) return false
  const wholeBytes = prefixBits >> 3
  for (let index = 0; index < wholeBytes; index += 1) {
    if (base[index] !== address[index]) return false
  }
  const difference = (base[wholeBytes] ?? 0) ^ (address[wholeBytes] ?? 0)
  return difference >> (8 - (prefixBits & 7)) === 0
}

/**
 * Who calls: the peer or, when the peer is a trusted proxy, the right-most entry of
 * X-Forwarded-For that is not one. Each proxy appends whom it saw, so the list is true from the
 * right up to and including the first entry we do not trust; all left of it anybody may have
 * written. An entry that is no address ends the walk, and the last trusted hop is the caller: that
 * is never an address of the sender's choice. The answer is canonical text; a peer that is no
 * address, a Unix socket or one with a zone, is given back as it is and lies in no range.
 */
export function callerAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly Cidr[],
): string {
  const peerAddress = parseAddress(peer)
  if (peerAddress === undefined) return peer
  const header = forwardedFor ?? ''
  let caller = peerAddress
  let end = header.length
  while (end >= 0 && isInAny(trustedProxies, caller)) {
    const start = header.lastIndexOf(',', end - 1) + 1
    const entry = parseAddress(header.slice(start, end).trim())
    if (entry === undefined) break
    caller = entry
    end = start - 1
  }
  return formatAddress(caller)
}

/**
 * Whether strangers' servers may live there: global unicast, and nothing that is reserved, local to
 * a network or a machine, or that wraps an IPv4 address (reliability 4.6). An IPv6 form of IPv4 is
 * refused whole, whatever it wraps: nobody needs it to be reached, and relays reach anything.
 */
export function isPublicAddress(address: Uint8Array): boolean {
  if (address.length === 4) return !isInAny(notPublicIpv4, address)
  return cidrContains(globalUnicast, address) && !isInAny(notPublicIpv6, address)
}

/** Canonical text of 4 or 16 bytes: dotted decimal, or RFC 5952. */
export function formatAddress(address: Uint8Array): string {
  if (address.length === 4) return address.join('.')
  const groups: string[] = []
  for (let index = 0; index < 16; index += 2) {
    groups.push((((address[index] ?? 0) << 8) | (address[index + 1] ?? 0)).toString(16))
  }
  const zeros = longestZeroRun(groups)
  if (zeros.length < 2) return groups.join(':')
  const head = groups.slice(0, zeros.start).join(':')
  return `${head}::${groups.slice(zeros.start + zeros.length).join(':')}`
}

/** Canonical text of a range, the form in which rules are stored. */
export function formatCidr(cidr: Cidr): string {
  return `${formatAddress(cidr.base)}/${cidr.prefixBits}`
}

const longestAddressCharacters = 45 // 0000:0000:0000:0000:0000:ffff:255.255.255.255
const mappedPrefixBits = 96
const mappedPrefix = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)
const decimalPattern = /^(?:0|[1-9][0-9]{0,2})$/
const groupPattern = /^[0-9a-f]{1,4}$/i

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const bytes = new Uint8Array(4)
  for (const [index, part] of parts.entries()) {
    if (!decimalPattern.test(part) || Number(part) > 255) return undefined
    bytes[index] = Number(part)
  }
  return bytes
}

function parseIpv6(text: string): Uint8Array | undefined {
  const withoutTail = text.includes('.') ? ipv4TailAsGroups(text) : text
  if (withoutTail === undefined) return undefined
  const halves = withoutTail.split('::')
  if (halves.length > 2) return undefined
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - tail.length
  // `::` stands for at least one group.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail]
  const bytes = new Uint8Array(16)
  for (const [index, group] of groups.entries()) {
    if (!groupPattern.test(group)) return undefined
    const value = Number.parseInt(group, 16)
    bytes[index * 2] = value >> 8
    bytes[index * 2 + 1] = value & 0xff
  }
  return bytes
}

/** `::ffff:10.0.0.1` → `::ffff:a00:1`. */
function ipv4TailAsGroups(text: string): string | undefined {
  const tailStart = text.lastIndexOf(':') + 1
  const tail = parseIpv4(text.slice(tailStart))
  if (tail === undefined) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = tail
  return `${text.slice(0, tailStart)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

function isIpv4Mapped(bytes: Uint8Array): boolean {
  return equal(bytes.subarray(0, 12), mappedPrefix)
}

function parsePrefix(text: string, maxBits: number): number | undefined {
  if (!decimalPattern.test(text)) return undefined
  return Number(text) <= maxBits ? Number(text) : undefined
}

function networkAddress(address: Uint8Array, prefixBits: number): Uint8Array {
  return address.map((byte, index) => {
    const hostBits = Math.min(Math.max(8 * (index + 1) - prefixBits, 0), 8)
    return (byte >> hostBits) << hostBits
  })
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

function isInAny(ranges: readonly Cidr[], address: Uint8Array): boolean {
  return ranges.some((range) => cidrContains(range, address))
}

/** The first longest run of zero groups: the one that RFC 5952 4.2.3 shortens. */
function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  let length = 0
  for (const [index, group] of groups.entries()) {
    length = group === '0' ? length + 1 : 0
    if (length > longest.length) longest = { start: index + 1 - length, length }
  }
  return longest
}

/** The caller's text as a message shows it. */
function quotedInput(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

/** IANA's special-purpose registries, and where clouds keep their metadata. */
const notPublicIpv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; 100.100.100.200 is a metadata service
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's host, in the public range
  '169.254.0.0/16', // link-local; 169.254.169.254 is the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; 192.0.0.192 is a metadata service
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
].map(cidrOf)

/** All that IANA gave out. Outside: loopback, NAT64, IPv4-compatible, unique local, link-local … */
const globalUnicast = cidrOf('2000::/3')
const notPublicIpv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
].map(cidrOf)

function cidrOf(text: string): Cidr {
  const parsed = parseCidr(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.cidr
}
