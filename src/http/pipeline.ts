/**
 * The steps every call takes, in the order in which one refusal wins over another (contract 2).
 * Straight down on purpose: the order of these lines is the contract.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { Refusal, invalidRequest, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { callerAddress } from '../core/identity/ip-addresses.ts'
import { encodeId } from '../core/ids.ts'
import { parseJson } from '../core/strict-json.ts'
import { isTransient, unavailableRefusal } from '../engine/database-failures.ts'
import { FilesUnavailable } from '../files/unavailable.ts'
import type { AnyInput, Operation } from '../operations/operation.ts'
import { newId } from '../database/new-ids.ts'
import {
  type Authenticator,
  type AuthenticatedCaller,
  checkAddress,
} from './admission/authenticate.ts'
import { checkMediaType, readBody } from './parsing/body.ts'
import { recordRequest } from './access-log.ts'
import { checkFormLength, checkFormMediaType } from './parsing/multipart-form.ts'
import {
  checkFamily,
  checkHeaders,
  checkScopes,
  checkPaymentTarget,
  requireIdempotencyKey,
  isDryRun,
  unknownRoute,
} from './admission/request-checks.ts'
import { type AdmittedRequest, type OperationResult, execute } from './execute.ts'
import type { RateLimits } from './admission/rate-limits.ts'
import { boundedMemo } from './bounded-memo.ts'
import { type ResponseContext, sendSuccess, sendRefusal } from './respond.ts'
import { type Route, problemsOf } from './route.ts'
import { type Upload, removeTemporaryFile, receiveUpload } from './parsing/upload.ts'
import type { Validator } from './validation/schema-validation.ts'

export interface Pipeline {
  context: Context
  authenticator: Authenticator
  rateLimits: RateLimits
}

export interface RouteMatch {
  route: Route | undefined
  params: Record<string, string>
  /** For a path that exists under other methods. */
  allowedMethods: readonly string[]
}

export const handleRequest = async (
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  { route, params, allowedMethods }: RouteMatch,
): Promise<void> => {
  const { context, rateLimits } = pipeline
  const startedAt = performance.now()
  const operation = route?.operation
  const url = request.url ?? '/'
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const responseContext: ResponseContext = {
    requestId: newId(),
    rateLimit: { policyHeader: rateLimits.policyHeader, statusHeader: '' },
    baseUrl: context.config.baseUrl,
    showsSecret: operation?.showsSecret === true,
  }
  let caller: AuthenticatedCaller | undefined
  let prefetched: Promise<unknown> | undefined
  let result: OperationResult
  try {
    const address = clientAddress(request, context)
    checkHeaders(request)
    if (operation?.allowed === 'public') {
      countRequest(rateLimits, 'address', address, responseContext)
    } else {
      try {
        const presented = pipeline.authenticator.parseHeader(
          request.headers.authorization,
          request.socket,
        )
        prefetched = prefetch(operation, context, params)
        caller = await pipeline.authenticator.authenticate(presented)
        checkAddress(caller, address)
      } catch (error) {
        // Failed attempts are counted too, so that every answer can show where the caller stands.
        if (error instanceof Refusal)
          responseContext.rateLimit.statusHeader = rateLimits.count('address', address).header
        throw error
      }
      countRequest(rateLimits, caller.credential.kind, caller.credential.id, responseContext)
    }
    if (operation === undefined) throw unknownRoute(request, path, allowedMethods, context)
    const isWrite = operation.method !== 'GET'
    const bytes = isWrite ? await readBodyBytes(operation, request) : noBytes
    checkFamily(operation.family, context)
    if (caller !== undefined) checkScopes(operation, caller)
    const key = isWrite && operation.isUnversioned !== true ? requireIdempotencyKey(request) : null
    const upload = operation.takesFile === true ? await receiveForm(request, context) : undefined
    const body = isWrite ? parseRequestBody(route!, request, bytes, upload) : undefined
    const search = queryAt < 0 ? '' : url.slice(queryAt + 1)
    const { requestId } = responseContext
    const admitted: AdmittedRequest = {
      ...{ context, operation, caller, address, path, requestId, key, request, upload },
      bytes: bytes.length,
      prefetched,
    }
    const run = () => validateAndExecute(route!, admitted, { params, search, body })
    result = upload === undefined ? await run() : await withUploadCleanup(upload, run)
  } catch (error) {
    result = { refusal: asRefusal(error, context, responseContext.requestId) }
  }
  if (responseContext.rateLimit.statusHeader === '')
    responseContext.rateLimit.statusHeader = rateLimits.count('unknown', '').header
  // The last answer on its connection: the client opens the next one elsewhere.
  if (context.lifecycle() === 'draining') response.shouldKeepAlive = false
  if ('refusal' in result) sendRefusal(response, responseContext, result.refusal)
  else sendSuccess(request, response, responseContext, result)
  if (caller?.credential.kind === 'key') context.recordKeyUse(caller.credential.id)
  const status = response.statusCode
  recordRequest(context, { request, path, responseContext, caller, startedAt, status, operation })
}

/** What a read can look for before its caller is known. A refusal of him wins over its failure. */
const prefetch = (
  operation: Operation | undefined,
  context: Context,
  params: Record<string, string>,
): Promise<unknown> | undefined => {
  if (operation?.handler.kind !== 'reads') return undefined
  const found = operation.handler.prefetch?.(context, params)
  found?.catch(() => undefined)
  return found
}

export const clientAddress = (
  { socket, headers }: IncomingMessage,
  { config }: Pick<Context, 'config'>,
): string => {
  const forwarded = headers['x-forwarded-for']
  const peer = socket.remoteAddress ?? ''
  if (forwarded === undefined) return canonicalAddress(peer)
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  return callerAddress(peer, list, config.trustedProxies)
}

/** A peer that forwards for nobody is the caller, whether or not it is trusted. */
const canonicalAddress = boundedMemo((peer) => callerAddress(peer, undefined, []))

const countRequest = (
  rates: RateLimits,
  kind: string,
  id: string,
  { rateLimit }: ResponseContext,
): void => {
  const status = rates.count(kind, id)
  rateLimit.statusHeader = status.header
  if (status.refusal !== undefined) throw status.refusal
}

const noBytes = Buffer.alloc(0)

/** A file is not read before its caller is known to be allowed: here only its size is asked. */
const readBodyBytes = (
  operation: Operation,
  request: IncomingMessage,
): Promise<Buffer> | Buffer => {
  if (operation.takesFile !== true) return readBody(request, limits.bodyMaxBytes)
  checkFormLength(request)
  return noBytes
}

const receiveForm = (request: IncomingMessage, context: Context): Promise<Upload> => {
  checkFormMediaType(request)
  return receiveUpload(request, context)
}

const withUploadCleanup = async <T>(upload: Upload, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } finally {
    await removeTemporaryFile(upload)
  }
}

const parseRequestBody = (
  { validateBody }: Route,
  request: IncomingMessage,
  bytes: Buffer,
  upload: Upload | undefined,
): unknown => {
  if (upload !== undefined) return upload.file === undefined ? {} : { file: upload.file }
  if (bytes.length > 0) checkMediaType(request)
  return parseJsonBody(bytes, validateBody)
}

/** An empty body equals {}; operations without a body accept {} only. */
const parseJsonBody = (bytes: Buffer, check: Validator | undefined): unknown => {
  if (bytes.length === 0) return {}
  const parsed = parseJson(bytes)
  if (!parsed.ok) {
    throw invalidRequest([{ param: parsed.param, code: 'invalid_value', message: parsed.message }])
  }
  if (check === undefined && JSON.stringify(parsed.value) !== '{}') {
    throw invalidRequest([
      {
        param: '',
        code: 'invalid_value',
        message: 'This operation takes no body.',
        fix: 'send no body',
      },
    ])
  }
  return parsed.value
}

/** Payment targets, then the schema, whose problems a kept answer still wins over. */
const validateAndExecute = (
  route: Route,
  admitted: AdmittedRequest,
  { params, search, body }: { params: Record<string, string>; search: string; body: unknown },
): Promise<OperationResult> => {
  const { operation, caller, context, request, upload } = admitted
  if (caller !== undefined) checkPaymentTarget(operation, body, caller, context)
  const { problems, query } = problemsOf(route, { search, body, caller, request })
  const input = { params, query, body: body ?? {} } as unknown as AnyInput
  const all = upload === undefined ? problems : [...upload.problems, ...problems]
  return execute(admitted, input, all, isDryRun(operation, request))
}

export const asRefusal = (error: unknown, { log }: Context, requestId: string): Refusal => {
  if (error instanceof Refusal) return error
  if (isTransient(error)) {
    log.error('database_unavailable', error, { request_id: encodeId('req', requestId) })
    return unavailableRefusal(error)
  }
  if (error instanceof FilesUnavailable) {
    log.error('files_unavailable', error, { request_id: encodeId('req', requestId) })
    return refuse(
      'service_unavailable',
      'The file store is not reachable right now. Send the same request again.',
      undefined,
      { retryAfterSeconds: 1 },
    )
  }
  log.error('internal_error', error, { request_id: encodeId('req', requestId) })
  return refuse('internal_error', 'Something failed on our side. Nothing of this request was kept.')
}
