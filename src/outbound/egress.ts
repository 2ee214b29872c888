/**
 * Checked connections to third parties (reliability 4.6). The name is resolved once, all its
 * addresses must be public, the connection goes to one of exactly these addresses, and the peer
 * address is compared again. Errors are worded for the owner of the receiver.
 */
import { Resolver } from 'node:dns/promises'
import { type Socket, connect as connectTcp } from 'node:net'
import { constants, networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { limits } from '../contract/limits.ts'
import type { Reach } from '../core/webhooks/endpoint-url.ts'
import {
  formatAddress,
  hostOf,
  isLoopbackAddress,
  isPublicAddress,
  namesItsCaller,
  parseAddress,
} from '../core/identity/ip-addresses.ts'

/** Resolves a name to its addresses as text; empty when there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export interface EgressPolicy {
  reach: Reach
}

/** What decides about an address beside the policy. */
export interface Surroundings {
  resolve: Resolve
  /** The ports of this machine that no policy allows: the service's own, and its database's. */
  ownPorts: () => readonly number[]
}

/** How long the steps to a connection took, in ms; those that were not taken or completed miss. */
export interface ConnectTimings {
  /** The name: an address needs no query. */
  dns_ms?: number
  /** All addresses that were tried. */
  connect_ms?: number
  tls_ms?: number
}

interface Target {
  /** A name, or an address without brackets. */
  hostname: string
  port: number
}

/** Its message is for the owner of the receiver; other errors are reported by code. */
class Unreachable extends Error {}

const notResolved = 'the name does not resolve'
const notPublic = 'the name resolves to an address that is not public'
const notPublicItself = 'the address is not public'
const ownPort = 'the port belongs to this service or its database'
const noConnection = `no connection within ${limits.outboundConnectTimeoutMs / 1000} s`

/** Bypasses the C library's resolver: a hanging name must not block its few threads. */
export const systemResolve: Resolve = async (hostname) => {
  if (/(^|\.)localhost$/i.test(hostname)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const lookups = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
  const results = await Promise.allSettled(lookups)
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

export const targetOf = (url: URL): Target => ({
  hostname: hostOf(url).replace(/\.$/, ''),
  port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
})

/** Returns all addresses of the host; throws unless every one of them may be called. */
export const allowedAddresses = async (
  { resolve, ownPorts }: Surroundings,
  { hostname, port }: Target,
  { reach }: EgressPolicy,
): Promise<string[]> => {
  const literal = parseAddress(hostname)
  const addresses = literal === undefined ? await resolve(hostname) : [formatAddress(literal)]
  if (addresses.length === 0) throw new Unreachable(notResolved)
  const isOwnPort = ownPorts().includes(port)
  const local = reach === 'private' && !isOwnPort ? [] : localAddresses()
  return addresses.map((text) => {
    const address = parseAddress(text)
    if (address === undefined) throw new Unreachable(notResolved)
    const canonical = formatAddress(address)
    const isLocal = namesItsCaller(address) || local.includes(canonical)
    const isAllowed =
      reach === 'private' ||
      (reach === 'loopback' && isLoopbackAddress(address)) ||
      (!isLocal && isPublicAddress(address))
    if (!isAllowed) throw new Unreachable(literal === undefined ? notPublic : notPublicItself)
    if (isLocal && isOwnPort) throw new Unreachable(ownPort)
    return canonical
  })
}

/** A call to the machine's own public address would bypass its firewall. */
const localAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))

/** Opens a connection to the URL's host after checking its addresses. */
export const connectTo = async (
  url: URL,
  surroundings: Surroundings,
  policy: EgressPolicy,
  timings: ConnectTimings,
): Promise<Socket> => {
  const target = targetOf(url)
  const deadline = new AbortController()
  const connect = async (): Promise<Socket> => {
    const startedAt = performance.now()
    const addresses = await allowedAddresses(surroundings, target, policy)
    const resolvedAt = performance.now()
    if (parseAddress(target.hostname) === undefined) timings.dns_ms = resolvedAt - startedAt
    const isTls = url.protocol === 'https:'
    return connectFirst(addresses, {
      ...target,
      isTls,
      signal: deadline.signal,
      timings,
      resolvedAt,
    })
  }
  try {
    return await withTimeout(limits.outboundConnectTimeoutMs, connect())
  } catch (error) {
    deadline.abort()
    throw error
  }
}

interface ConnectOptions extends Target {
  isTls: boolean
  signal: AbortSignal
  timings: ConnectTimings
  resolvedAt: number
}

/** These errors say less than the failure of another address. */
const unreachableCodes = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']

/** Tries one address after the other until the connect timeout. */
const connectFirst = async (
  addresses: readonly string[],
  connecting: ConnectOptions,
): Promise<Socket> => {
  const [address, ...others] = addresses
  try {
    return await connectAddress(address!, connecting)
  } catch (error) {
    if (others.length === 0 || connecting.signal.aborted) throw error
    const isSpecific = !unreachableCodes.includes((error as { code?: string }).code ?? '')
    return connectFirst(others, connecting).catch((later: unknown) => {
      throw isSpecific ? error : later
    })
  }
}

const connectAddress = (
  address: string,
  { hostname, port, isTls, signal, timings, resolvedAt }: ConnectOptions,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const options = { host: address, port, noDelay: true, autoSelectFamily: false }
    const isName = parseAddress(hostname) === undefined
    const socket = isTls
      ? connectTls({
          ...options,
          ...(isName ? { servername: hostname } : {}),
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp(options)
    const stop = () => socket.destroy(new Unreachable(noConnection))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.once('error', reject)
    let connectedAt = resolvedAt
    socket.once('connect', () => {
      connectedAt = performance.now()
      timings.connect_ms = connectedAt - resolvedAt
    })
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', stop)
      socket.removeListener('error', reject)
      if (isTls) timings.tls_ms = performance.now() - connectedAt
      const peer = parseAddress(socket.remoteAddress ?? '')
      if (peer !== undefined && formatAddress(peer) === address) return resolve(socket)
      socket.destroy()
      reject(new Unreachable(notPublic))
    })
  })

const outOfSockets = 'this service had no free socket'

const reasonByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ETIMEDOUT: noConnection,
  ENOTFOUND: notResolved,
  HPE_HEADER_OVERFLOW: 'the response has too many headers',
  EMFILE: outOfSockets,
  ENFILE: outOfSockets,
  ENOBUFS: outOfSockets,
  ENOMEM: outOfSockets,
}

/** Whether the call failed for want of our own resources, which says nothing about the receiver. */
export const isOutOfSockets = (error: unknown): boolean =>
  reasonByCode[codeOf(error)] === outOfSockets

/** Listing the machine's addresses takes a socket, too, and reports the lack of one by number. */
const codeOf = (error: unknown): string => {
  const { code = '', errno = 0 } = error as NodeJS.ErrnoException
  if (code !== 'ERR_SYSTEM_ERROR') return code
  const named = Object.entries(constants.errno).find(([, number]) => number === Math.abs(errno))
  return named?.[0] ?? code
}

/** Whether the connection broke, rather than its content being wrong. */
export const isConnectionReset = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')

export const reasonOf = (error: unknown): string => {
  if (error instanceof Unreachable) return error.message
  const code = codeOf(error)
  const reason = reasonByCode[code]
  if (reason !== undefined) return reason
  if (code.startsWith('HPE_')) return 'the response is not HTTP'
  if (/CERT|TLS|SSL|SIGNED|ISSUER|EPROTO/.test(code)) return `TLS failed: ${code}`
  return `the call failed${code === '' ? '' : `: ${code}`}`
}

export const withTimeout = <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unreachable(noConnection)), ms)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
