/**
 * The first stage: may this caller use this operation at all? The order of the checks is the order
 * of precedence of their refusals (contract 2).
 */
import type { IsAbandoned } from '../database/batch-loader.ts'
import { limits } from '../contract/limits.ts'
import type { Operation } from '../operations/operation.ts'
import type { AuthenticatedCaller } from './admission/authenticator.ts'
import { countAnonymous, countCaller, countRefused } from './admission/counted-requests.ts'
import {
  checkAddress,
  checkCapability,
  checkComplete,
  checkFamily,
  checkHeaders,
  checkScopes,
  requireIdempotencyKey,
  unknownRoute,
} from './admission/request-checks.ts'
import { checkStepUp } from './admission/step-up.ts'
import type { Exchange } from './exchange.ts'
import { type BodyText, readText } from './parsing/body.ts'
import { checkFormLength } from './parsing/multipart-form.ts'
import type { Route } from './route.ts'
import { isVersioned } from '../docs/operation-facts.ts'

export interface AdmittedRequest {
  exchange: Exchange
  route: Route
  caller: AuthenticatedCaller | undefined
  address: string
  /** Null for reads, and for writes outside of the versioned contract. */
  idempotencyKey: string | null
  /** The body, unless it is a file. */
  received: BodyText
  /** Data that a read began to load before its caller was known. */
  prefetched: Promise<unknown> | undefined
}

export const admit = async (exchange: Exchange): Promise<AdmittedRequest> => {
  const { request, route, pipeline, admission } = exchange
  const operation = route?.operation
  const { address } = pipeline.addressOf(request)
  checkHeaders(request)
  checkComplete(pipeline.context)
  const isPublic = operation?.allowed === 'public' || isOutside(exchange)
  const { caller, prefetched } = isPublic ? anonymous : await identifyCaller(exchange, address)
  if (admission === undefined) {
    if (caller === undefined) countAnonymous(exchange)
    else countCaller(exchange, caller)
  }
  if (route === undefined || operation === undefined) throw unknownRoute(exchange)
  const isWrite = operation.method !== 'GET'
  const received = isWrite ? await receiveBody(operation, exchange) : noBody
  checkFamily(operation.family, pipeline.context)
  checkFamily(operation.alsoNeeds, pipeline.context)
  if (caller !== undefined) {
    checkScopes(operation, caller)
    checkCapability(operation, caller)
    checkStepUp(operation, caller, address)
  }
  if (admission?.refusal !== undefined) throw admission.refusal
  const needsKey = isWrite && isVersioned(operation)
  const idempotencyKey = needsKey ? requireIdempotencyKey(request) : null
  return { exchange, route, caller, address, idempotencyKey, received, prefetched }
}

/** Credentials are for the versioned contract: elsewhere, a path that does not exist is public. */
const isOutside = ({ route, path }: Exchange): boolean =>
  route === undefined && !path.startsWith('/v1/')

interface Identified {
  caller: AuthenticatedCaller | undefined
  prefetched: Promise<unknown> | undefined
}

const anonymous: Identified = { caller: undefined, prefetched: undefined }

/** Finds the caller and checks its address; beside it, what a read needs begins to load. */
export const identifyCaller = async (exchange: Exchange, address: string): Promise<Identified> => {
  const { request, route, params, pipeline, admission } = exchange
  const { authenticator } = pipeline
  const begin = () => prefetch(exchange, route?.operation, params)
  if (admission !== undefined) {
    exchange.caller = admission.caller
    return { caller: admission.caller, prefetched: admission.prefetched ?? begin() }
  }
  try {
    const presented = authenticator.credentialIn(request.headers, request.socket)
    const prefetched = begin()
    const caller = await authenticator.callerOf(presented, isAbandonedOf(exchange))
    exchange.caller = caller
    checkAddress(caller, address)
    return { caller, prefetched }
  } catch (error) {
    countRefused(exchange, error)
    throw error
  }
}

const isAbandonedOf =
  ({ response }: Exchange): IsAbandoned =>
  () =>
    response.destroyed

/** Starts to load what a read needs. Refusing the caller takes precedence over its failure. */
export const prefetch = (
  exchange: Exchange,
  operation: Operation | undefined,
  params: Record<string, string>,
): Promise<unknown> | undefined => {
  if (operation?.handler.kind !== 'reads') return undefined
  const { context } = exchange.pipeline
  const prefetched = operation.handler.prefetch?.(context, params, isAbandonedOf(exchange))
  prefetched?.catch(() => undefined)
  return prefetched
}

const noBody: BodyText = { length: 0, text: '' }

/** A file is received only after the caller is admitted: here only its declared size is checked. */
const receiveBody = (operation: Operation, exchange: Exchange): Promise<BodyText> | BodyText => {
  if (operation.takesFile !== undefined) {
    checkFormLength(exchange.request, operation.takesFile)
    return noBody
  }
  const isSignIn = !isVersioned(operation)
  return readText(exchange, isSignIn ? limits.signInBodyMaxBytes : limits.bodyMaxBytes)
}
