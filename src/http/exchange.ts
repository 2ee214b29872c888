/** One HTTP request and its response, from the first byte to the log line. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { Refusal } from '../contract/errors.ts'
import { type FairQueue, RequestAbandoned, type Requester } from '../database/fair-queue.ts'
import { newId } from '../database/new-ids.ts'
import type { AuthenticatedCaller, Authenticator } from './admission/authenticator.ts'
import type { CallerAddresses } from './admission/caller-addresses.ts'
import type { RateLimitStatus, RateLimits } from './admission/rate-limits.ts'
import type { Route } from './route.ts'
import type { LiveStreams } from './streaming/live-streams.ts'

/** Shared by all requests of this process. */
export interface Pipeline {
  context: Context
  authenticator: Authenticator
  rateLimits: RateLimits
  addressOf: CallerAddresses
  /** Files that are being received. */
  uploads: FairQueue
  /** Received files that are being read. */
  fileReads: FairQueue
  /** Lists that are being sent while they are read. */
  listDownloads: FairQueue
  /** Attachments that are being sent, and those of them that are being compared before. */
  fileDownloads: FairQueue
  fileChecks: FairQueue
  streams: LiveStreams
}

export interface RouteMatch {
  route: Route | undefined
  params: Record<string, string>
  /** The methods under which the path exists. */
  allowedMethods: readonly string[]
  /** Shown instead of a path that may hold a secret. */
  shownPath?: string | undefined
  /** Admits a request that is performed inside of another one (in-process.ts). */
  admission?: Admission | undefined
}

/** A caller who was authenticated, and counted, with the outer request. */
export interface Admission {
  requestId: string
  caller: AuthenticatedCaller
  rateLimitStatus: RateLimitStatus | undefined
  /** Why the outer endpoint does not offer the operation; scopes are checked before. */
  refusal: Refusal | undefined
  /** What the operation reads, if that is being loaded already. */
  prefetched: Promise<unknown> | undefined
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
  /** For the RateLimit headers; undefined until a window has counted the request. */
  rateLimitStatus: RateLimitStatus | undefined
  /** Aborted when the client hangs up; undefined until somebody wants to know. */
  hangUp: AbortController | undefined
  /** No cache may keep the response. */
  showsSecret: boolean
  /** What was answered instead of a success. */
  refusal: Refusal | undefined
  /** What a write that succeeded has left behind. */
  effect: WriteEffect | undefined
}

/** What a write has left behind, for the request log. */
export interface WriteEffect {
  documentId: string | null
  eventIds: readonly string[]
  /** The request that was executed, when the response is a replay. */
  originalRequestId: string | null
}

export const openExchange = (
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  { route, params, allowedMethods, shownPath, admission }: RouteMatch = noRoute,
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
    admission,
    requestId: admission?.requestId ?? newId(),
    path: shownPath ?? (queryAt < 0 ? url : url.slice(0, queryAt)),
    search: queryAt < 0 ? '' : url.slice(queryAt + 1),
    startedAt: performance.now(),
    caller: undefined,
    rateLimitStatus: admission?.rateLimitStatus,
    hangUp: undefined,
    showsSecret: route?.operation.showsSecret === true,
    refusal: undefined,
    effect: undefined,
  }
}

/**
 * A class, since V8 keeps the getter of an object literal in the old generation, where it holds the
 * exchange until the next full garbage collection (docs/decisions/0118).
 */
class ExchangeRequester implements Requester {
  readonly organization: string
  readonly #exchange: Exchange

  constructor(exchange: Exchange, organization: string) {
    this.organization = organization
    this.#exchange = exchange
  }

  /** Made when it is needed: most lists neither wait nor have a connection to interrupt. */
  get signal(): AbortSignal {
    this.#exchange.hangUp ??= hangUpOf(this.#exchange)
    return this.#exchange.hangUp.signal
  }
}

/** The signal is aborted when the client closes the connection before it has the response. */
export const requesterOf = (exchange: Exchange, organization: string): Requester =>
  new ExchangeRequester(exchange, organization)

const hangUpOf = ({ response }: Exchange): AbortController => {
  const hangUp = new AbortController()
  const abort = (): void => hangUp.abort(new RequestAbandoned('the caller hung up'))
  if (response.destroyed) abort()
  // Emitted after every response, also a complete one.
  else response.once('close', () => response.writableFinished || abort())
  return hangUp
}
