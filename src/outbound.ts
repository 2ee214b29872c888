/**
 * The one client for calls to strangers (reliability 4.6). Every connection: the name is resolved
 * once, every address of it must be public, the connection goes to one of exactly these addresses,
 * and the peer is compared with it again. No redirects, no proxies, HTTP/1.1 only. Every call: a
 * time limit for connecting and for all of it, a size limit for the answer. Connections serve one
 * line and are never shared between two.
 */
import { Resolver } from 'node:dns/promises'
import { type Socket, connect as connectTcp } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { type Dispatcher, Pool, type buildConnector } from 'undici'
import { limits } from './contract/limits.ts'
import { formatAddress, isPublicAddress, parseAddress } from './core/addresses.ts'
import type { EndpointUrl } from './core/webhook-url.ts'

/** Name → its addresses as text; empty when it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

export interface Answered {
  /** Null: there was no answer. */
  status: number | null
  /** Why it failed; null for any complete answer. */
  error: string | null
  /** The beginning of the answer's body. */
  body: string | null
  retryAfter: string | undefined
  durationMs: number
}

/** Where calls of one receiver go; its connections stay open between calls. */
export interface Line {
  /** Never throws: what went wrong is said in the answer. */
  post(headers: Record<string, string>, body: string): Promise<Answered>
  /** Lets calls under way end. */
  close(): void
}

export interface Reach {
  /** http and private addresses too: for practice on one machine. */
  allowsPrivate: boolean
}

export interface Outbound {
  /** Why this host cannot be called; undefined when it can. */
  refusal(url: EndpointUrl, reach: Reach): Promise<string | undefined>
  line(url: string, reach: Reach): Line
}

export const openOutbound = (resolve: Resolve = systemResolve): Outbound => ({
  refusal: async ({ hostname }, reach) => {
    try {
      await within(limits.outboundConnectMs, addressesOf(resolve, hostname, reach))
    } catch (error) {
      return reasonOf(error)
    }
    return undefined
  },
  line: (url, reach) => openLine(url, connectorFor(resolve, reach)),
})

/** With words for whoever owns the receiver; anything else that goes wrong is named by its code. */
class Unreachable extends Error {}

const notResolved = 'the name does not resolve'
const notPublic = 'the name resolves to an address that is not public'
const noConnection = `no connection within ${limits.outboundConnectMs / 1000} s`
const noAnswer = `no complete answer within ${limits.outboundTotalMs / 1000} s`

/** Without the resolver of the C library: a name that hangs must not hold up its few threads. */
const systemResolve: Resolve = async (hostname) => {
  if (/(^|\.)localhost$/i.test(hostname)) return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

/** All addresses of the host, if every one of them may be called. */
const addressesOf = async (
  resolve: Resolve,
  hostname: string,
  { allowsPrivate }: Reach,
): Promise<string[]> => {
  const literal = parseAddress(hostname)
  const found = literal === undefined ? await resolve(hostname) : [formatAddress(literal)]
  if (found.length === 0) throw new Unreachable(notResolved)
  const own = allowsPrivate ? [] : ownAddresses()
  return found.map((text) => {
    const address = parseAddress(text)
    if (address === undefined) throw new Unreachable(notResolved)
    const canonical = formatAddress(address)
    const isAllowed = allowsPrivate || (isPublicAddress(address) && !own.includes(canonical))
    if (!isAllowed) throw new Unreachable(notPublic)
    return canonical
  })
}

/** A machine's own public address leads past its firewall. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))

const connectorFor =
  (resolve: Resolve, reach: Reach): buildConnector.connector =>
  (target, done) => {
    const isTls = target.protocol === 'https:'
    const hostname = target.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const port = Number(target.port || (isTls ? 443 : 80))
    const late = new AbortController()
    const connected = async (): Promise<Socket> => {
      const addresses = await addressesOf(resolve, hostname, reach)
      return firstConnected(addresses, { hostname, port, isTls, signal: late.signal })
    }
    const answer = async () => {
      let socket: Socket
      try {
        socket = await within(limits.outboundConnectMs, connected())
      } catch (error) {
        late.abort()
        return done(new Unreachable(reasonOf(error)), null)
      }
      done(null, socket)
    }
    void answer()
  }

interface Connecting {
  hostname: string
  port: number
  isTls: boolean
  signal: AbortSignal
}

/** One address after the other, while the time for connecting lasts. */
const firstConnected = async (
  addresses: readonly string[],
  connecting: Connecting,
): Promise<Socket> => {
  const [address, ...others] = addresses
  try {
    return await connected(address!, connecting)
  } catch (error) {
    if (others.length === 0 || connecting.signal.aborted) throw error
    return firstConnected(others, connecting)
  }
}

const connected = (
  address: string,
  { hostname, port, isTls, signal }: Connecting,
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
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      signal.removeEventListener('abort', stop)
      socket.removeListener('error', reject)
      const peer = parseAddress(socket.remoteAddress ?? '')
      if (peer !== undefined && formatAddress(peer) === address) return resolve(socket)
      socket.destroy()
      reject(new Unreachable(notPublic))
    })
  })

const openLine = (url: string, connect: buildConnector.connector): Line => {
  const { origin, pathname, search } = new URL(url)
  const open = (): Pool =>
    new Pool(origin, {
      connect,
      connections: limits.deliveriesAtOncePerEndpoint,
      pipelining: 1,
      allowH2: false,
      // The call's own limit covers both, to the millisecond.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.outboundIdleMaxMs,
      keepAliveMaxTimeout: limits.outboundIdleMaxMs,
      maxHeaderSize: limits.outboundHeadersMaxBytes,
    })
  let pool: Pool | undefined
  let openedAt = 0
  const close = () => {
    void pool?.close().catch(() => {})
    pool = undefined
  }
  return {
    post: (headers, body) => {
      const now = performance.now()
      // A connection stays with the address it was checked for, so it must not stay for ever.
      if (now - openedAt > limits.outboundConnectionMaxMs) close()
      if (pool === undefined) {
        pool = open()
        openedAt = now
      }
      return call(pool, { method: 'POST', path: pathname + search, headers, body })
    },
    close,
  }
}

const call = (pool: Pool, options: Dispatcher.DispatchOptions): Promise<Answered> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    let controller: Dispatcher.DispatchController | undefined
    let isOver = false
    let status: number | null = null
    let retryAfter: string | undefined
    let bytes = 0
    let keptBytes = 0
    const kept: Buffer[] = []
    const end = (error: string | null) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      const durationMs = Math.round(performance.now() - startedAt)
      resolve({
        status,
        error,
        body: status === null ? null : textOf(kept),
        retryAfter,
        durationMs,
      })
    }
    const cut = (error: string | null) => {
      end(error)
      controller?.abort(new Unreachable('cut'))
    }
    const timer = setTimeout(cut, limits.outboundTotalMs, noAnswer)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        controller = started
        if (isOver) started.abort(new Unreachable('cut'))
      },
      onRequestUpgrade: () => cut('the answer is not HTTP'),
      onResponseStart: (_, statusCode, headers) => {
        if (statusCode < 200) return
        status = statusCode
        retryAfter = headers['retry-after']?.toString()
      },
      onResponseData: (_, chunk) => {
        if (keptBytes < limits.outboundAnswerKeptBytes) {
          // Copied: the chunk is a view of a buffer that is used again.
          kept.push(Buffer.from(chunk.subarray(0, limits.outboundAnswerKeptBytes - keptBytes)))
          keptBytes += kept.at(-1)!.length
        }
        bytes += chunk.length
        if (bytes > limits.outboundAnswerMaxBytes) cut(null)
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(reasonOf(error)),
    }
    pool.dispatch(options, handler)
  })

/** PostgreSQL's text holds no NUL. */
const textOf = (kept: readonly Buffer[]): string =>
  Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd')

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was reset',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the host',
  ETIMEDOUT: noConnection,
  ENOTFOUND: notResolved,
  UND_ERR_HEADERS_OVERFLOW: 'the answer has too many headers',
}

const reasonOf = (error: unknown): string => {
  if (error instanceof Unreachable) return error.message
  const { code = '', name } = error as { code?: string; name?: string }
  const known = reasons[code]
  if (known !== undefined) return known
  if (name === 'HTTPParserError') return 'the answer is not HTTP'
  if (/CERT|TLS|SSL|SIGNED|ISSUER|EPROTO/.test(code)) return `TLS failed: ${code}`
  return `the call failed${code === '' ? '' : `: ${code}`}`
}

const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unreachable(noConnection)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
