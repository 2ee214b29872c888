/**
 * The only client for calls to third parties (reliability 4.6), including payment processors. It
 * follows no redirects, uses no proxies and speaks HTTP/1.1 only. Every call has time limits for
 * connecting and in total, and a size limit for the response. Each OutboundClient has its own
 * connections; egress.ts decides which addresses they may reach.
 */
import {
  Agent,
  type AgentOptions,
  type ClientRequestArgs,
  type IncomingHttpHeaders,
  request as openRequest,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../contract/limits.ts'
import type { EndpointUrl } from '../core/webhooks/endpoint-url.ts'
import * as egress from './egress.ts'

export interface OutboundResponse {
  /** Null without a response. */
  status: number | null
  /** The reason of a failure; null for any complete response. */
  error: string | null
  /** The call failed for want of our own resources. */
  isOurFault: boolean
  /** The beginning of the response body. */
  body: string | null
  headers: IncomingHttpHeaders
  durationMs: number
  timings: CallTimings
}

/** A connection that was open already has none of the steps to it. */
export interface CallTimings extends egress.ConnectTimings {
  /** From the request to the response's headers. */
  first_byte_ms?: number
}

export interface OutboundBounds {
  totalMs: number
  /** A longer response is cut. */
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

/** Calls one receiver over connections that stay open between calls. Failures never throw. */
export interface OutboundClient {
  /** To the client's own URL. */
  post(headers: Record<string, string>, body: string): Promise<OutboundResponse>
  /** To another path of the same host. */
  send(request: OutboundRequest): Promise<OutboundResponse>
  /** Lets running calls finish. */
  close(): void
}

export interface Outbound {
  /** The reason why this host cannot be called; undefined if it can. */
  unreachableReason(url: EndpointUrl, policy: egress.EgressPolicy): Promise<string | undefined>
  client(url: string, policy: egress.EgressPolicy): OutboundClient
}

/** `ownPorts` are the ports of this machine that nobody's URL may reach, as they are now. */
export const openOutbound = (
  resolve: egress.Resolve = egress.systemResolve,
  ownPorts: () => readonly number[] = () => [],
): Outbound => {
  const surroundings = { resolve, ownPorts }
  return {
    unreachableReason: async ({ href }, policy) => {
      try {
        await egress.withTimeout(
          limits.outboundConnectTimeoutMs,
          egress.allowedAddresses(surroundings, egress.targetOf(new URL(href)), policy),
        )
      } catch (error) {
        return egress.reasonOf(error)
      }
      return undefined
    },
    client: (url, policy) =>
      openClient(new URL(url), (target, timings) =>
        egress.connectTo(target, surroundings, policy, timings),
      ),
  }
}

const defaultBounds = (): OutboundBounds => ({
  totalMs: limits.outboundTimeoutMs,
  responseMaxBytes: limits.outboundResponseMaxBytes,
  responseKeptBytes: limits.outboundResponseKeptBytes,
})

type Connect = (url: URL, timings: CallTimings) => Promise<Socket>

/** The agent hands the options of a request on to the connection that it opens for it. */
interface TimedOptions extends ClientRequestArgs {
  timings: CallTimings
}

/** The connections of one client; idle ones close soon. */
class ConnectionPool extends Agent {
  readonly #url: URL
  readonly #connect: Connect
  readonly #openedAt = new WeakMap<Duplex, number>()
  #isClosed = false

  constructor(url: URL, connect: Connect) {
    const protocol = url.protocol
    super({
      // Callers limit concurrency. An agent with its own limit would queue calls behind connections
      // that have just broken, and lose them when no new connection can be opened.
      keepAlive: true,
      maxFreeSockets: limits.concurrentDeliveriesPerEndpointMax,
      timeout: limits.outboundIdleMaxMs,
      protocol,
      defaultPort: protocol === 'https:' ? 443 : 80,
    } as AgentOptions)
    this.#url = url
    this.#connect = connect
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    void this.#open(callback!, (options as TimedOptions).timings)
  }

  async #open(
    callback: (error: Error | null, socket: Duplex) => void,
    timings: CallTimings,
  ): Promise<void> {
    let socket: Duplex
    try {
      socket = await this.#connectWithSocket(timings)
    } catch (error) {
      return callback(error as Error, undefined!)
    }
    this.#openedAt.set(socket, performance.now())
    callback(null, socket)
  }

  /** Waits for a free socket for a while: others are released all the time. */
  async #connectWithSocket(timings: CallTimings): Promise<Duplex> {
    const endsAt = performance.now() + limits.outboundSocketWaitMs
    for (;;) {
      try {
        return await this.#connect(this.#url, timings)
      } catch (error) {
        if (!egress.isOutOfSockets(error) || performance.now() > endsAt) throw error
        await new Promise((resolve) => setTimeout(resolve, limits.outboundSocketRetryMs))
      }
    }
  }

  /** The address was only checked when the connection opened, so a connection's age is limited. */
  override keepSocketAlive(socket: Duplex): boolean {
    const age = performance.now() - this.#openedAt.get(socket)!
    if (this.#isClosed || age > limits.outboundConnectionMaxMs) return false
    return super.keepSocketAlive(socket) as unknown as boolean
  }

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
  const send = async (request: OutboundRequest): Promise<OutboundResponse> => {
    const timed = { ...request, url, startedAt: performance.now() }
    const { response, isStale } = await sendOnce(connections, timed)
    if (!isStale) return response
    const fresh = new ConnectionPool(url, connect)
    const repeated = sendOnce(fresh, timed)
    fresh.close()
    return (await repeated).response
  }
  const path = url.pathname + url.search
  return {
    post: (headers, body) => send({ method: 'POST', path, headers, body, bounds: defaultBounds() }),
    send,
    close: () => connections.close(),
  }
}

interface SendResult {
  response: OutboundResponse
  /**
   * A reused connection broke before the first byte: the receiver had closed it while it was idle
   * and most likely never saw the call, which is repeated at once.
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
    const chunks: Buffer[] = []
    const timings: CallTimings = {}
    let sentAt = startedAt
    const options: TimedOptions = {
      agent,
      method,
      path,
      headers: timed.headers,
      timings,
      maxHeaderSize: limits.outboundHeadersMaxBytes,
    }
    const request = openRequest(url, options)
    const end = (error: string | null, { isStale = false, isOurFault = false } = {}) => {
      clearTimeout(timer)
      const durationMs = Math.round(performance.now() - startedAt)
      const text = status === null ? null : textOf(chunks, bytes > bounds.responseKeptBytes)
      const response = { status, error, isOurFault, body: text, durationMs, headers, timings }
      resolve({ response, isStale })
    }
    const abort = (error: string | null) => {
      end(error)
      request.destroy()
    }
    const remainingMs = bounds.totalMs - (performance.now() - startedAt)
    const timeout = `no complete response within ${bounds.totalMs / 1000} s`
    const timer = setTimeout(abort, remainingMs, timeout)
    request.once('socket', ({ bytesRead }) => {
      bytesBefore = bytesRead
      sentAt = performance.now()
    })
    request.on('error', (error) => {
      const isSilent = status === null && request.socket?.bytesRead === bytesBefore
      const isStale = request.reusedSocket && isSilent && egress.isConnectionReset(error)
      end(egress.reasonOf(error), { isStale, isOurFault: egress.isOutOfSockets(error) })
    })
    const refuseUpgrade = () => {
      status = 101
      abort('status 101: protocol switches are not supported')
    }
    // Node skips all other interim responses (RFC 9110 15.2).
    request.once('upgrade', refuseUpgrade)
    request.once('response', (response) => {
      timings.first_byte_ms = performance.now() - sentAt
      if (response.statusCode === 101) return refuseUpgrade()
      if (response.statusCode! < 200) return abort('the response is not HTTP')
      status = response.statusCode!
      headers = response.headers
      response.on('data', (chunk: Buffer) => {
        const room = bounds.responseKeptBytes - bytes
        if (room > 0) chunks.push(chunk.subarray(0, room))
        bytes += chunk.length
        if (bytes > bounds.responseMaxBytes) abort(null)
      })
      response.on('end', () => end(null))
      response.on('error', (error) => end(egress.reasonOf(error)))
    })
    request.end(body)
  })

/** Drops an incomplete character at the cut. PostgreSQL's text cannot hold NUL. */
const textOf = (chunks: readonly Buffer[], isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(Buffer.concat(chunks), { stream: isCut })
    .replaceAll('\0', '\ufffd')
