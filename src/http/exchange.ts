/** One HTTP request and its response, from the first byte to the log line. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LruMap } from 'toad-cache'
import type { Context } from '../context.ts'
import { Refusal } from '../contract/errors.ts'
import { callerAddress } from '../core/identity/ip-addresses.ts'
import { newId } from '../database/new-ids.ts'
import type { AuthenticatedCaller, Authenticator } from './admission/authenticate.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import type { Route } from './route.ts'

/** Shared by all requests of this process. */
export interface Pipeline {
  context: Context
  authenticator: Authenticator
  rateLimits: RateLimits
  /** Peer and X-Forwarded-For → the caller's address. */
  addresses: LruMap<string>
}

export interface RouteMatch {
  route: Route | undefined
  params: Record<string, string>
  /** The methods under which the path exists. */
  allowedMethods: readonly string[]
}

export const noRoute: RouteMatch = { route: undefined, params: {}, allowedMethods: [] }

export interface Exchange extends RouteMatch {
  pipeline: Pipeline
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  /** The path as logs may show it. */
  path: string
  /** The query string without `?`. */
  search: string
  startedAt: number
  /** Known once the credential is authenticated. */
  caller: AuthenticatedCaller | undefined
  /** The value of the RateLimit header; empty until a window has counted the request. */
  rateLimitStatus: string
  /** No cache may keep the response. */
  showsSecret: boolean
}

export const openExchange = (
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  { route, params, allowedMethods }: RouteMatch = noRoute,
): Exchange => {
  const url = request.url ?? '/'
  const queryAt = url.indexOf('?')
  return {
    pipeline,
    request,
    response,
    route,
    params,
    allowedMethods,
    requestId: newId(),
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    search: queryAt < 0 ? '' : url.slice(queryAt + 1),
    startedAt: performance.now(),
    caller: undefined,
    rateLimitStatus: '',
    showsSecret: route?.operation.showsSecret === true,
  }
}

/** Counts the request in the windows of its caller; throws `rate_limited` when one is full. */
export const countRequest = (exchange: Exchange, kind: string, id: string): void => {
  const status = exchange.pipeline.rateLimits.count(kind, id)
  exchange.rateLimitStatus = status.header
  if (status.refusal !== undefined) throw status.refusal
}

/** Counts a request that is refused anyway, so that its response shows where the caller stands. */
export const countRefused = (exchange: Exchange, error: unknown, address: string): void => {
  if (!(error instanceof Refusal)) return
  exchange.rateLimitStatus = exchange.pipeline.rateLimits.count('address', address).header
}

/**
 * The caller's canonical address. Few callers send many requests, and parsing costs microseconds.
 */
export const clientAddress = ({ request, pipeline }: Exchange): string => {
  const { addresses, context } = pipeline
  const peer = request.socket.remoteAddress ?? ''
  const forwarded = request.headers['x-forwarded-for']
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  const key = list === undefined ? peer : `${peer} ${list}`
  let address = addresses.get(key)
  if (address === undefined) {
    address = callerAddress(peer, list, context.config.trustedProxies)
    addresses.set(key, address)
  }
  return address
}
