/**
 * The address of a request's caller, and the network that rate limits count. Few callers send many
 * requests, and parsing costs microseconds, so the latest results are cached.
 */
import type { IncomingMessage } from 'node:http'
import { LruMap as Lru } from 'toad-cache'
import { limits } from '../../contract/limits.ts'
import {
  type Cidr,
  callerAddress,
  cidrContains,
  networkOf,
  parseAddress,
} from '../../core/identity/ip-addresses.ts'

export interface CallerAddress {
  /** In canonical form. */
  address: string
  /** IPv6: the /64, since its holder has all of its addresses. */
  network: string
}

export type CallerAddresses = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
) => CallerAddress

export const openCallerAddresses = (trustedProxies: readonly Cidr[]): CallerAddresses => {
  const peers = new Lru<CallerAddress & { isProxy: boolean }>(limits.clientAddressesMax)
  const forwarded = new Lru<CallerAddress>(limits.clientAddressesMax)

  const peerOf = (peer: string) => {
    let known = peers.get(peer)
    if (known === undefined) {
      const bytes = parseAddress(peer)
      const isProxy = bytes !== undefined && trustedProxies.some((one) => cidrContains(one, bytes))
      known = { ...located(callerAddress(peer, undefined, trustedProxies)), isProxy }
      peers.set(peer, known)
    }
    return known
  }
  return ({ socket, headers }) => {
    const peer = socket.remoteAddress ?? ''
    const known = peerOf(peer)
    const header = headers['x-forwarded-for']
    // Anybody may send the header, so that of another peer is neither read nor kept.
    if (!known.isProxy || header === undefined) return known
    const list = String(header)
    const key = `${peer} ${list}`
    let caller = forwarded.get(key)
    if (caller === undefined) {
      caller = located(callerAddress(peer, list, trustedProxies))
      if (list.length <= limits.forwardedForKeptMaxLength) forwarded.set(key, caller)
    }
    return caller
  }
}

const located = (address: string): CallerAddress => ({ address, network: networkOf(address) })
