/**
 * The steps every call takes, in the order in which one refusal wins over another (contract 2).
 * Straight down on purpose: the order of these lines is the contract.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { Refusal, invalid, refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { callerAddress } from '../core/identity/ip-addresses.ts'
import { encodeId } from '../core/ids.ts'
import { parseJson } from '../core/strict-json.ts'
import { isPassing, unavailable } from '../engine/database-failures.ts'
import { FilesUnavailable } from '../files/unavailable.ts'
import type { AnyInput, Operation } from '../operations/operation.ts'
import { newId } from '../database/new-ids.ts'
import { type Authentication, type Caller, checkAddress } from './admission/authenticate.ts'
import { checkMediaType, readBody } from './parsing/body.ts'
import { finish } from './access-log.ts'
import { checkAnnouncedFile, checkForm } from './parsing/multipart-form.ts'
import {
  checkFamily,
  checkHeaders,
  checkScopes,
  checkTarget,
  idempotencyKey,
  isDryRun,
  unknownRoute,
} from './admission/gates.ts'
import { type Arrived, type Outgoing, perform } from './execute.ts'
import type { Rates } from './admission/rate-limits.ts'
import { remembered } from './bounded-memo.ts'
import { type Sending, sendAnswer, sendRefusal } from './respond.ts'
import { type Route, problemsOf } from './route.ts'
import { type Upload, discardReceived, receiveUpload } from './parsing/upload.ts'
import type { Check } from './validation/schema-validation.ts'

export interface Pipeline {
  context: Context
  authentication: Authentication
  rates: Rates
}

export interface Target {
  route: Route | undefined
  params: Record<string, string>
  /** For a path that exists under other methods. */
  allow: readonly string[]
}

export const answer = async (
  pipeline: Pipeline,
  request: IncomingMessage,
  response: ServerResponse,
  { route, params, allow }: Target,
): Promise<void> => {
  const { context, rates } = pipeline
  const startedAt = performance.now()
  const operation = route?.operation
  const url = request.url ?? '/'
  const queryAt = url.indexOf('?')
  const path = queryAt < 0 ? url : url.slice(0, queryAt)
  const sending: Sending = {
    requestId: newId(),
    rate: { policy: rates.policy, standing: '' },
    baseUrl: context.config.baseUrl,
    showsSecret: operation?.showsSecret === true,
  }
  let caller: Caller | undefined
  let found: Promise<unknown> | undefined
  let outgoing: Outgoing
  try {
    const address = addressOf(request, context)
    checkHeaders(request)
    if (operation?.allowed === 'public') {
      count(rates, 'address', address, sending)
    } else {
      try {
        const presented = pipeline.authentication.presented(
          request.headers.authorization,
          request.socket,
        )
        found = begun(operation, context, params)
        caller = await pipeline.authentication.callerWith(presented)
        checkAddress(caller, address)
      } catch (error) {
        // Failed attempts are counted too, so that every answer can show where the caller stands.
        if (error instanceof Refusal) sending.rate.standing = rates.count('address', address).header
        throw error
      }
      count(rates, caller.credential.kind, caller.credential.id, sending)
    }
    if (operation === undefined) throw unknownRoute(request, path, allow, context)
    const isWrite = operation.method !== 'GET'
    const bytes = isWrite ? await bytesOf(operation, request) : noBytes
    checkFamily(operation.family, context)
    if (caller !== undefined) checkScopes(operation, caller)
    const key = isWrite && operation.outside !== true ? idempotencyKey(request) : null
    const upload = operation.takesFile === true ? await formOf(request, context) : undefined
    const body = isWrite ? bodyOf(route!, request, bytes, upload) : undefined
    const search = queryAt < 0 ? '' : url.slice(queryAt + 1)
    const { requestId } = sending
    const arrived: Arrived = {
      ...{ context, operation, caller, address, path, requestId, key, request, upload },
      bytes: bytes.length,
      found,
    }
    const checked = () => performed(route!, arrived, { params, search, body })
    outgoing = upload === undefined ? await checked() : await discardedAfter(upload, checked)
  } catch (error) {
    outgoing = { refusal: asRefusal(error, context, sending.requestId) }
  }
  if (sending.rate.standing === '') sending.rate.standing = rates.count('unknown', '').header
  // The last answer on its connection: the client opens the next one elsewhere.
  if (context.standing() === 'draining') response.shouldKeepAlive = false
  if ('refusal' in outgoing) sendRefusal(response, sending, outgoing.refusal)
  else sendAnswer(request, response, sending, outgoing)
  if (caller?.credential.kind === 'key') context.keyUsed(caller.credential.id)
  const status = response.statusCode
  finish(context, { request, path, sending, caller, startedAt, status, operation })
}

/** What a read can look for before its caller is known. A refusal of him wins over its failure. */
const begun = (
  operation: Operation | undefined,
  context: Context,
  params: Record<string, string>,
): Promise<unknown> | undefined => {
  if (operation?.handler.kind !== 'reads') return undefined
  const found = operation.handler.find?.(context, params)
  found?.catch(() => undefined)
  return found
}

export const addressOf = (
  { socket, headers }: IncomingMessage,
  { config }: Pick<Context, 'config'>,
): string => {
  const forwarded = headers['x-forwarded-for']
  const peer = socket.remoteAddress ?? ''
  if (forwarded === undefined) return canonical(peer)
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  return callerAddress(peer, list, config.trustedProxies)
}

/** A peer that forwards for nobody is the caller, whether or not it is trusted. */
const canonical = remembered((peer) => callerAddress(peer, undefined, []))

const count = (rates: Rates, kind: string, id: string, { rate }: Sending): void => {
  const standing = rates.count(kind, id)
  rate.standing = standing.header
  if (standing.refusal !== undefined) throw standing.refusal
}

const noBytes = Buffer.alloc(0)

/** A file is not read before its caller is known to be allowed: here only its size is asked. */
const bytesOf = (operation: Operation, request: IncomingMessage): Promise<Buffer> | Buffer => {
  if (operation.takesFile !== true) return readBody(request, limits.bodyMaxBytes)
  checkAnnouncedFile(request)
  return noBytes
}

const formOf = (request: IncomingMessage, context: Context): Promise<Upload> => {
  checkForm(request)
  return receiveUpload(request, context)
}

const discardedAfter = async <T>(upload: Upload, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } finally {
    await discardReceived(upload)
  }
}

const bodyOf = (
  { checkBody }: Route,
  request: IncomingMessage,
  bytes: Buffer,
  upload: Upload | undefined,
): unknown => {
  if (upload !== undefined) return upload.file === undefined ? {} : { file: upload.file }
  if (bytes.length > 0) checkMediaType(request)
  return jsonOf(bytes, checkBody)
}

/** An empty body equals {}; operations without a body accept {} only. */
const jsonOf = (bytes: Buffer, check: Check | undefined): unknown => {
  if (bytes.length === 0) return {}
  const parsed = parseJson(bytes)
  if (!parsed.ok) {
    throw invalid([{ param: parsed.param, code: 'invalid_value', message: parsed.message }])
  }
  if (check === undefined && JSON.stringify(parsed.value) !== '{}') {
    throw invalid([
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
const performed = (
  route: Route,
  arrived: Arrived,
  { params, search, body }: { params: Record<string, string>; search: string; body: unknown },
): Promise<Outgoing> => {
  const { operation, caller, context, request, upload } = arrived
  if (caller !== undefined) checkTarget(operation, body, caller, context)
  const { problems, query } = problemsOf(route, { search, body, caller, request })
  const input = { params, query, body: body ?? {} } as unknown as AnyInput
  const all = upload === undefined ? problems : [...upload.problems, ...problems]
  return perform(arrived, input, all, isDryRun(operation, request))
}

export const asRefusal = (error: unknown, { log }: Context, requestId: string): Refusal => {
  if (error instanceof Refusal) return error
  if (isPassing(error)) {
    log.failure('database_unavailable', error, { request_id: encodeId('req', requestId) })
    return unavailable(error)
  }
  if (error instanceof FilesUnavailable) {
    log.failure('files_unavailable', error, { request_id: encodeId('req', requestId) })
    return refuse(
      'service_unavailable',
      'The file store is not reachable right now. Send the same request again.',
      undefined,
      { retryAfterSeconds: 1 },
    )
  }
  log.failure('internal_error', error, { request_id: encodeId('req', requestId) })
  return refuse('internal_error', 'Something failed on our side. Nothing of this request was kept.')
}
