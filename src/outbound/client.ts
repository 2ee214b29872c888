/**
 * The one client for calls to strangers (reliability 4.6), and to payment processors. No redirects,
 * no proxies, HTTP/1.1 only. Every call: a time limit for connecting and for all of it, a size
 * limit for the answer. Connections serve one line and are never shared between two; whom they may
 * lead to is in outbound-connect.ts.
 */
import {
  Agent,
  type AgentOptions,
  type IncomingHttpHeaders,
  request as openRequest,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../contract/limits.ts'
import type { EndpointUrl } from '../core/webhooks/endpoint-url.ts'
import {
  type EgressPolicy,
  type Resolve,
  allowedAddresses,
  connectTo,
  isConnectionReset,
  reasonOf,
  systemResolve,
  withTimeout,
} from './egress.ts'

export interface OutboundResponse {
  /** Null: there was no answer. */
  status: number | null
  /** Why it failed; null for any complete answer. */
  error: string | null
  /** The beginning of the answer's body. */
  body: string | null
  retryAfter: string | undefined
  durationMs: number
}

export interface FullOutboundResponse extends OutboundResponse {
  headers: IncomingHttpHeaders
}

export interface OutboundBounds {
  totalMs: number
  /** An answer that is longer is cut. */
  responseMaxBytes: number
  responseKeptBytes: number
}

export interface OutboundRequest {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: string
  bounds: OutboundBounds
}

/**
 * Where calls of one receiver go; its connections stay open between calls. No call throws: what
 * went wrong is said in the answer.
 */
export interface OutboundClient {
  /** To the address of the line. */
  post(headers: Record<string, string>, body: string): Promise<OutboundResponse>
  /** To another path of its host. */
  send(asked: OutboundRequest): Promise<FullOutboundResponse>
  /** Lets calls under way end. */
  close(): void
}

export interface Outbound {
  /** Why this host cannot be called; undefined when it can. */
  unreachableReason(url: EndpointUrl, policy: EgressPolicy): Promise<string | undefined>
  client(url: string, policy: EgressPolicy): OutboundClient
}

export const openOutbound = (resolve: Resolve = systemResolve): Outbound => ({
  unreachableReason: async ({ hostname }, policy) => {
    try {
      await withTimeout(
        limits.outboundConnectTimeoutMs,
        allowedAddresses(resolve, hostname, policy),
      )
    } catch (error) {
      return reasonOf(error)
    }
    return undefined
  },
  client: (url, policy) => openClient(new URL(url), (target) => connectTo(target, resolve, policy)),
})

const defaultBounds: OutboundBounds = {
  totalMs: limits.outboundTimeoutMs,
  responseMaxBytes: limits.outboundResponseMaxBytes,
  responseKeptBytes: limits.outboundResponseKeptBytes,
}

type Connect = (url: URL) => Promise<Socket>

/** The connections of one line: open between calls, but not for long. */
class ConnectionPool extends Agent {
  readonly #url: URL
  readonly #connect: Connect
  readonly #openedAt = new WeakMap<Duplex, number>()
  #isClosed = false

  constructor(url: URL, connect: Connect) {
    const protocol = url.protocol
    super({
      // Callers bound what is under way. An agent with a bound of its own would queue calls behind
      // connections that just broke, and forget them when no new connection can be made.
      ...{ keepAlive: true, maxFreeSockets: limits.concurrentDeliveriesPerEndpointMax },
      ...{ timeout: limits.outboundIdleMaxMs, protocol },
      defaultPort: protocol === 'https:' ? 443 : 80,
    } as AgentOptions)
    this.#url = url
    this.#connect = connect
  }

  override createConnection(
    _: unknown,
    done?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    void this.#open(done!)
  }

  async #open(done: (error: Error | null, socket: Duplex) => void): Promise<void> {
    let socket: Duplex
    try {
      socket = await this.#connect(this.#url)
    } catch (error) {
      return done(error as Error, undefined!)
    }
    this.#openedAt.set(socket, performance.now())
    done(null, socket)
  }

  /** A connection stays with the address it was checked for, so it must not stay for ever. */
  override keepSocketAlive(socket: Duplex): boolean {
    const age = performance.now() - this.#openedAt.get(socket)!
    if (this.#isClosed || age > limits.outboundConnectionMaxMs) return false
    return super.keepSocketAlive(socket) as unknown as boolean
  }

  /** Lets calls under way end. */
  close(): void {
    this.#isClosed = true
    for (const socket of Object.values(this.freeSockets).flat()) socket!.destroy()
  }
}

interface TimedRequest extends OutboundRequest {
  url: URL
  startedAt: number
}

const openClient = (url: URL, connect: Connect): OutboundClient => {
  const connections = new ConnectionPool(url, connect)
  const send = async (request: OutboundRequest): Promise<FullOutboundResponse> => {
    const timed = { ...request, url, startedAt: performance.now() }
    const { response, isStale } = await sendOnce(connections, timed)
    if (!isStale) return response
    const fresh = new ConnectionPool(url, connect)
    const again = sendOnce(fresh, timed)
    fresh.close()
    return (await again).response
  }
  const path = url.pathname + url.search
  return {
    post: (headers, body) => send({ method: 'POST', path, headers, body, bounds: defaultBounds }),
    send,
    close: () => connections.close(),
  }
}

interface SendResult {
  response: FullOutboundResponse
  /**
   * A connection that had served before died without a byte: the receiver closed it while it was
   * idle, and most likely never saw the call. To be repeated at once.
   */
  isStale: boolean
}

const sendOnce = (agent: ConnectionPool, timed: TimedRequest): Promise<SendResult> =>
  new Promise((resolve) => {
    const { url, method, path, body, startedAt, bounds } = timed
    let status: number | null = null
    let headers: IncomingHttpHeaders = {}
    let bytes = 0
    let bytesBefore = 0
    const kept: Buffer[] = []
    const request = openRequest(url, {
      ...{ agent, method, path, headers: timed.headers },
      maxHeaderSize: limits.outboundHeadersMaxBytes,
    })
    const end = (error: string | null, isStale = false) => {
      clearTimeout(timer)
      const durationMs = Math.round(performance.now() - startedAt)
      const text = status === null ? null : textOf(kept, bytes > bounds.responseKeptBytes)
      const retryAfter = headers['retry-after']
      resolve({ response: { status, error, body: text, retryAfter, durationMs, headers }, isStale })
    }
    const cut = (error: string | null) => {
      end(error)
      request.destroy()
    }
    const leftMs = bounds.totalMs - (performance.now() - startedAt)
    const timer = setTimeout(cut, leftMs, `no complete answer within ${bounds.totalMs / 1000} s`)
    request.once('socket', ({ bytesRead }) => (bytesBefore = bytesRead))
    request.on('error', (error) => {
      const isSilent = status === null && request.socket?.bytesRead === bytesBefore
      end(reasonOf(error), request.reusedSocket && isSilent && isConnectionReset(error))
    })
    const switches = () => {
      status = 101
      cut('answered 101: protocols are not switched')
    }
    // Other interim answers (RFC 9110 15.2) are passed over by Node, asked for or not.
    request.once('upgrade', switches)
    request.once('response', (response) => {
      if (response.statusCode === 101) return switches()
      if (response.statusCode! < 200) return cut('the answer is not HTTP')
      status = response.statusCode!
      headers = response.headers
      response.on('data', (chunk: Buffer) => {
        const room = bounds.responseKeptBytes - bytes
        if (room > 0) kept.push(chunk.subarray(0, room))
        bytes += chunk.length
        if (bytes > bounds.responseMaxBytes) cut(null)
      })
      response.on('end', () => end(null))
      response.on('error', (error) => end(reasonOf(error)))
    })
    request.end(body)
  })

/** PostgreSQL's text holds no NUL. Cut at a character, not inside of one. */
const textOf = (kept: readonly Buffer[], isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(Buffer.concat(kept), { stream: isCut })
    .replaceAll('\0', '\ufffd')
