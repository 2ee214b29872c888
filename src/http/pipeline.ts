/**
 * The steps every call takes, in the order in which one refusal wins over another (contract 2).
 * Straight down on purpose: the order of these lines is the contract.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call, Context } from '../context.ts'
import { isAdmin } from '../context.ts'
import { Refusal, invalid, refuse } from '../contract/errors.ts'
import { type Family, families, reservedPaths } from '../contract/families.ts'
import { limits } from '../contract/limits.ts'
import type { Problem } from '../contract/problem.ts'
import { type Scope, scopes } from '../contract/scopes.ts'
import { paymentTargets } from '../contract/document-types.ts'
import { callerAddress } from '../core/addresses.ts'
import { dayAt } from '../core/calendar.ts'
import { isTagList, matchesWeakly } from '../core/etag.ts'
import { encodeId } from '../core/ids.ts'
import { parseJson } from '../core/json.ts'
import { idempotencyOf } from '../engine/idempotency.ts'
import type { Answer, Member, Outcome, Write } from '../engine/member.ts'
import { FilesUnavailable } from '../files/unavailable.ts'
import { type AnyInput, type Operation, type Recording, answerOf } from '../operations/operation.ts'
import { newId } from '../randomness.ts'
import { isPassing, unavailable } from '../engine/lane.ts'
import { type Authenticate, type Caller, checkAddress } from './authenticate.ts'
import { checkMediaType, readBody } from './body.ts'
import { finish } from './finish.ts'
import { checkAnnouncedFile, checkForm } from './form.ts'
import { furtherProblems } from './further.ts'
import { type Upload, discardReceived, receiveUpload, withStoredFile } from './upload.ts'
import { type Check, compileBody, compileQuery } from './validate.ts'
import { readQuery } from './query.ts'
import type { Rates } from './rates.ts'
import { type Sending, send, sendRefusal } from './reply.ts'

/** An operation with its checks compiled; undefined when the path or the method is unknown. */
export interface Route {
  operation: Operation
  checkBody: Check | undefined
  checkQuery: Check
  /** What is wrong with no query at all. */
  withoutQuery: readonly Problem[]
}

const noQuery = { type: 'object', additionalProperties: false, properties: {} }

export const routeOf = (operation: Operation): Route => {
  const checkQuery = compileQuery(operation.query ?? noQuery)
  return {
    operation,
    checkBody:
      operation.body === undefined || operation.takesFile === true
        ? undefined
        : compileBody(operation.body, operation.response),
    checkQuery,
    withoutQuery: checkQuery({}),
  }
}

export interface Pipeline {
  context: Context
  authenticate: Authenticate
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
  const [path = '/', search = ''] = splitOnce(request.url ?? '/', '?')
  const sending: Sending = {
    requestId: newId(),
    rate: { policy: rates.policy, standing: '' },
    baseUrl: context.config.baseUrl,
    showsSecret: operation?.showsSecret === true,
  }
  let caller: Caller | undefined
  let outcome: Sent
  try {
    const address = callerAddress(
      request.socket.remoteAddress ?? '',
      forwardedFor(request),
      context.config.trustedProxies,
    )
    checkHeaders(request)
    if (operation?.allowed === 'public') {
      count(rates, `address ${address}`, sending)
    } else {
      try {
        caller = await pipeline.authenticate(request.headers.authorization)
        checkAddress(caller, address)
      } catch (error) {
        // Failed attempts are counted too, so that every answer can show where the caller stands.
        if (error instanceof Refusal)
          sending.rate.standing = rates.count(`address ${address}`).header
        throw error
      }
      count(rates, `${caller.credential.kind} ${caller.credential.id}`, sending)
    }
    if (operation === undefined) throw unknownRoute(request, path, allow, context)
    const isWrite = operation.method !== 'GET'
    const bytes = isWrite ? await bytesOf(operation, request) : noBytes
    checkFamily(operation.family, context)
    if (caller !== undefined) checkScopes(operation, caller)
    const key = isWrite && operation.outside !== true ? idempotencyKey(request) : null
    const upload = operation.takesFile === true ? await formOf(request, context) : undefined
    const body = isWrite ? bodyOf(route!, request, bytes, upload) : undefined
    const arrived = { route: route!, params, search, path, sending, caller, address, request, key }
    outcome = await performed(pipeline, { ...arrived, body, upload, bytes: bytes.length })
  } catch (error) {
    outcome = { refusal: asRefusal(error, context, sending.requestId) }
  }
  if (sending.rate.standing === '') sending.rate.standing = rates.count('unknown').header
  // The last answer on its connection: the client opens the next one elsewhere.
  if (context.standing() === 'draining') response.shouldKeepAlive = false
  write(response, sending, outcome, request)
  if (caller?.credential.kind === 'key') context.keyUsed(caller.credential.id)
  finish(context, {
    request,
    path,
    sending,
    caller,
    startedAt,
    status: response.statusCode,
    operation,
  })
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

/** A call that nothing has refused before its content was read. */
interface Arrived {
  route: Route
  params: Record<string, string>
  search: string
  path: string
  sending: Sending
  caller: Caller | undefined
  address: string
  request: IncomingMessage
  key: string | null
  body: unknown
  upload: Upload | undefined
  bytes: number
}

const performed = async (pipeline: Pipeline, arrived: Arrived): Promise<Sent> => {
  const { route, params, caller, body, upload, address, path, bytes } = arrived
  const { operation } = route
  try {
    if (caller !== undefined) checkTarget(operation, body, caller, pipeline.context)
    const { all, query } = problemsOf(route, arrived)
    const problems = [...(upload?.problems ?? []), ...all]
    const input = { params, query, body: body ?? {} } as unknown as AnyInput
    const dryRun = isDryRun(operation, arrived.request)
    const call = caller === undefined ? undefined : callOf(pipeline, caller, arrived, dryRun)
    const asked = { operation, call, input, problems, upload }
    return await perform(pipeline, { ...asked, address, dryRun, path, bytes })
  } finally {
    if (upload !== undefined) await discardReceived(upload)
  }
}

type Sent =
  | { refusal: Refusal }
  | {
      answer: Omit<Answer, 'status'> & { status: number }
      originalRequest?: string
      dryRun?: boolean
    }

const write = (
  response: ServerResponse,
  sending: Sending,
  sent: Sent,
  request: IncomingMessage,
): void => {
  if ('refusal' in sent) return sendRefusal(response, sending, sent.refusal)
  const { answer: made, originalRequest } = sent
  const headers: Record<string, string> = { ...made.headers }
  if (made.etag !== undefined) headers['ETag'] = made.etag
  if (made.location !== undefined) headers['Location'] = made.location
  if (originalRequest !== undefined) {
    headers['Idempotent-Replay'] = 'true'
    headers['Svc-Original-Request-Id'] = encodeId('req', originalRequest)
  }
  if (sent.dryRun === true) headers['Svc-Dry-Run'] = 'true'
  const known = request.headers['if-none-match']
  const isUnchanged =
    known !== undefined &&
    (request.method === 'GET' || request.method === 'HEAD') &&
    made.etag !== undefined &&
    matchesWeakly(known, made.etag)
  send(response, sending, isUnchanged ? 304 : made.status, made.body, headers)
}

interface Performing {
  operation: Operation
  call: Call | undefined
  input: AnyInput
  problems: readonly Problem[]
  upload: Upload | undefined
  address: string
  dryRun: boolean
  path: string
  bytes: number
}

/**
 * Reads answer at once; writes go through the engine, which looks for a kept answer before anything
 * else.
 */
const perform = async (pipeline: Pipeline, performing: Performing): Promise<Sent> => {
  const { operation, call, input, problems } = performing
  const { handler } = operation
  const { context } = pipeline
  if (handler.kind === 'public') {
    if (problems.length > 0) throw invalid(problems)
    const { address, dryRun } = performing
    const answer = answerOf(operation, await handler.answer(context, input, { address, dryRun }))
    return sentOf({ kind: 'done', answer }, dryRun)
  }
  if (call === undefined) throw new Error('every other operation has a caller')
  if (handler.kind === 'reads' || operation.outside === true) {
    if (problems.length > 0) throw invalid(problems)
    if (handler.kind === 'reads')
      return { answer: answerOf(operation, await handler.answer(call, input)) }
  }
  const key = call.idempotencyKey
  const member: Member = {
    organization: call.organization.id,
    requestId: call.requestId,
    dryRun: call.dryRun,
    bytes: performing.bytes,
    write: await writeOf(performing, call),
    ...(key === null
      ? {}
      : {
          idempotency: idempotencyOf(context.keyring.replies, call.organization.id, key, {
            method: operation.method,
            path: performing.path,
            body: input.body,
          }),
        }),
  }
  const write = () => context.engine.perform(member)
  const { upload } = performing
  const isStored = upload !== undefined && problems.length === 0 && !call.dryRun
  const outcome = isStored ? await withStoredFile(context, upload, write) : await write()
  // Again on a replay: whoever was cut off before may rely on it all the same.
  if (outcome.kind !== 'refused' && !call.dryRun && handler.kind === 'runs') {
    await handler.afterwards?.(call)
  }
  return sentOf(outcome, call.dryRun)
}

/** A request that its schema refuses still asks for its kept answer first, but needs no rows. */
const writeOf = async ({ operation, input, problems }: Performing, call: Call): Promise<Write> => {
  const { handler } = operation
  const isRefused = problems.length > 0
  if (handler.kind === 'decides') {
    // Naming the record may refuse as well: the kept answer still wins, so that is said later.
    const decision = isRefused ? undefined : await attempt(() => handler.decision(call, input))
    return {
      kind: 'decided',
      needs: decision !== undefined && 'made' in decision ? decision.made.needs : {},
      decide: (world) => {
        if (decision === undefined) throw invalid(problems)
        if ('refused' in decision) throw decision.refused
        return answerOf(operation, decision.made.decide(world))
      },
    }
  }
  const sealed = operation.showsSecret === true
  if (handler.kind === 'calls') {
    let record: Recording<unknown> | undefined
    return {
      kind: 'alone',
      sealed,
      outside: async () => {
        if (isRefused) throw invalid(problems)
        record = await handler.call(call, input)
      },
      run: async (tx) => answerOf(operation, await record!(tx)),
    }
  }
  if (handler.kind !== 'runs') throw new Error('a write decides, calls or runs')
  return {
    kind: 'alone',
    sealed,
    run: async (tx) => {
      if (isRefused) throw invalid(problems)
      return answerOf(operation, await handler.run(tx, call, input))
    },
  }
}

const attempt = async <T>(
  make: () => T | Promise<T>,
): Promise<{ made: T } | { refused: unknown }> => {
  try {
    return { made: await make() }
  } catch (error) {
    return { refused: error }
  }
}

const sentOf = (outcome: Outcome, dryRun: boolean): Sent => {
  if (outcome.kind === 'refused') return { refusal: outcome.refusal }
  if (outcome.kind === 'replayed') {
    return { answer: outcome.answer, originalRequest: outcome.originalRequest }
  }
  if (!dryRun) return { answer: outcome.answer }
  // What was not made has no place.
  const { location: _, ...answer } = outcome.answer
  return { answer: { ...answer, status: 200 }, dryRun }
}

const splitOnce = (text: string, separator: string): [string, string] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

/** Two of these would leave it open which one counts. */
const singleHeaders = new Set([
  'authorization',
  'idempotency-key',
  'content-type',
  'content-length',
  'host',
  'if-match',
  'svc-dry-run',
])

const checkHeaders = ({ rawHeaders, headers, httpVersionMinor }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersionMinor === 1) {
    throw invalid([
      {
        param: 'Host',
        code: 'missing_header',
        message: 'HTTP/1.1 needs a Host.',
        fix: 'send Host',
      },
    ])
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw invalid([
      {
        param: 'Expect',
        code: 'invalid_value',
        message: 'Only 100-continue can be met.',
        fix: 'leave Expect out',
      },
    ])
  }
  // Node.js merges what is given twice, so as many names as headers means that none is.
  let distinct = 0
  for (const _ in headers) distinct += 1
  if (distinct * 2 === rawHeaders.length) return
  const seenNames = new Set<string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (!singleHeaders.has(name)) continue
    if (seenNames.has(name)) {
      throw invalid([
        {
          param: rawHeaders[i]!,
          code: 'invalid_value',
          message: 'The header is given twice.',
          fix: 'send it once',
        },
      ])
    }
    seenNames.add(name)
  }
}

export const forwardedFor = ({ headers }: IncomingMessage): string | undefined => {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}

const count = (rates: Rates, who: string, sending: Sending): void => {
  const standing = rates.count(who)
  sending.rate.standing = standing.header
  if (standing.refusal !== undefined) throw standing.refusal
}

const unknownRoute = (
  request: IncomingMessage,
  path: string,
  allow: readonly string[],
  context: Context,
): Refusal => {
  if (allow.length > 0) {
    return refuse(
      'method_not_allowed',
      `${request.method} is not a method of ${path}: use ${allow.join(' or ')}.`,
      undefined,
      {
        headers: { Allow: allow.join(', ') },
      },
    )
  }
  const reserved = reservedPaths.find(({ pattern }) => pattern.test(path))
  if (reserved !== undefined && !isServed(reserved.family, context))
    return notEnabled(reserved.family)
  const slash = path.endsWith('/') ? ' Paths end without a slash.' : ''
  return refuse('not_found', `There is no path ${path}.${slash} GET /v1/docs lists them.`, {
    resource: 'route',
    id: path,
  })
}

const isServed = (family: Family, { config }: Pick<Context, 'config'>): boolean =>
  families[family].built && config.families.has(family)

const notEnabled = (family: Family): Refusal =>
  refuse(
    'not_enabled',
    families[family].built
      ? `The ${family} family is switched off in this deployment.`
      : `The ${family} family is not part of this version of the service yet.`,
    { family },
  )

const checkFamily = (family: Family | undefined, context: Context): void => {
  if (family !== undefined && !isServed(family, context)) throw notEnabled(family)
}

const checkScopes = (operation: Operation, caller: Caller): void => {
  const { allowed, scopes: needed = [] } = operation
  if (allowed === 'admin' || allowed === 'admin or scoped') {
    if (isAdmin(caller.credential)) return
    if (allowed === 'admin') throw insufficient(['admin_session'], caller)
  }
  const missing = needed.filter((scope) => !caller.credential.granted.includes(scope))
  if (missing.length > 0) throw insufficient(needed, caller)
  for (const scope of needed) {
    if (!caller.scopes.has(scope)) throw withoutCapability(scope)
  }
}

const insufficient = (needed: readonly string[], { credential }: Caller): Refusal =>
  refuse('insufficient_scope', `This needs ${needed.join(' and ')}.`, {
    required_scopes: needed,
    key_scopes: credential.granted,
  })

/** Granted, but the organization cannot use it: the only such need is verification. */
const withoutCapability = (scope: Scope): Refusal => {
  const capability = scope.split(':')[0]!
  return refuse(
    'capability_unavailable',
    `${scopes[scope].allows}: this organization is not verified.`,
    {
      capability,
      reason: 'organization_unverified',
    },
  )
}

const idempotencyKey = ({ headers }: IncomingMessage): string => {
  const key = headers['idempotency-key']
  const param = 'Idempotency-Key'
  const { idempotencyKeyMinLength: least, idempotencyKeyMaxLength: most } = limits
  const fix = `send a fresh value of ${least} to ${most} printable characters per request, and the same one to retry it`
  if (typeof key !== 'string') {
    throw invalid([
      { param, code: 'missing_header', message: 'Every write needs an Idempotency-Key.', fix },
    ])
  }
  if (key.length < least || key.length > most || !/^[\x21-\x7e]+$/.test(key)) {
    const message = `Must be ${least} to ${most} printable ASCII characters without spaces.`
    throw invalid([{ param, code: key.length > most ? 'too_long' : 'invalid_value', message, fix }])
  }
  return key
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

/** Targets that execute a payment need the payments family and its scope, whatever the state. */
const checkTarget = (
  operation: Operation,
  body: unknown,
  caller: Caller,
  context: Context,
): void => {
  if (operation.id !== 'documents.transition') return
  const to = (body as { to?: unknown } | null)?.to
  if (typeof to !== 'string' || !paymentTargets.includes(to)) return
  // Whether anything can be paid is said last: by the move itself, once it is found legal.
  if (!context.config.families.has('payments')) throw notEnabled('payments')
  if (!caller.scopes.has('payments:write')) {
    throw insufficient(['documents:write', 'payments:write'], caller)
  }
}

const noTagList: Problem = {
  param: 'If-Match',
  code: 'invalid_value',
  message: 'If-Match takes ETags in their quotes, like "1".',
  fix: 'send the ETag as it was answered, with its quotes, or leave If-Match out',
}

const problemsOf = (
  { operation, checkBody, checkQuery, withoutQuery }: Route,
  { search, body, caller, request }: Arrived,
): { all: Problem[]; query: Record<string, unknown> } => {
  const { values, problems } = readQuery(search, operation.query)
  const ofBody = checkBody?.(body) ?? []
  const ifMatch = request.headers['if-match']
  const all = [
    ...(ifMatch === undefined || isTagList(ifMatch) ? [] : [noTagList]),
    ...problems,
    ...(search === '' ? withoutQuery : problems.length > 0 ? [] : checkQuery(values)),
    ...ofBody,
  ]
  if (all.length > 0 && operation.problems !== undefined) {
    const today = dayAt(Date.now(), caller?.organization.clockOffsetSeconds ?? 0n)
    all.push(...furtherProblems(operation.problems, body, ofBody, today))
  }
  return { all, query: values }
}

const callOf = (
  { context }: Pipeline,
  caller: Caller,
  { address, request: { headers }, sending: { requestId }, key, upload }: Arrived,
  dryRun: boolean,
): Call => ({
  context,
  read: context.database.read,
  requestId,
  address,
  organization: caller.organization,
  credential: caller.credential,
  scopes: caller.scopes,
  idempotencyKey: key,
  dryRun,
  ifMatch: headers['if-match'],
  fileId: upload?.id,
})

const isDryRun = ({ method }: Operation, { headers }: IncomingMessage): boolean => {
  const header = headers['svc-dry-run']
  if (header === undefined || header === 'false') return false
  if (header === 'true') return method !== 'GET'
  throw invalid([
    {
      param: 'Svc-Dry-Run',
      code: 'invalid_value',
      message: 'Must be true or false.',
      fix: 'send Svc-Dry-Run: true',
    },
  ])
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
