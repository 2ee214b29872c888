/** One call to the service, as any other client makes it. */
import { noteCall } from './made-calls.ts'
import { noteServiceTime } from './service-clock.ts'
import { renewSession, sessionToken } from './session.ts'

export type Query = Record<string, string | number | boolean | undefined>

export interface CallOptions {
  query?: Query | undefined
  body?: unknown
  /** One per intention of the person: a repeated call then has no second effect. */
  idempotencyKey?: string | undefined
  dryRun?: boolean | undefined
  ifMatch?: number | undefined
  signal?: AbortSignal | undefined
  /** Instead of the session's, to try out a new key. */
  token?: string | undefined
  /** The body shows who the person is: a refusal is about that, and it is sent once. */
  isProof?: boolean | undefined
}

export interface FieldProblem {
  param: string
  code: string
  message: string
  fix?: string
}

/** Null are the id and the end of what a dry run has only asked about. */
export interface AskedApproval {
  id: string | null
  summary: string
  expires_at: string | null
}

/** A refusal of the service, or `status: 0` when it could not be reached. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>
  readonly requestId: string | null
  readonly docsUrl: string | null

  constructor(status: number, body: ErrorBody | undefined) {
    super(body?.message ?? 'The service cannot be reached. Check your connection.')
    this.status = status
    this.code = body?.code ?? (status === 0 ? 'offline' : 'internal_error')
    this.details = body?.details ?? {}
    this.requestId = body?.request_id ?? null
    this.docsUrl = body?.docs_url ?? null
  }

  get problems(): FieldProblem[] {
    return (this.details['errors'] as FieldProblem[] | undefined) ?? []
  }

  get reason(): string | undefined {
    return this.details['reason'] as string | undefined
  }

  /** The service has not answered what it would: the same can be sent again. */
  get isUndecided(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502
  }

  /** The person has to show more of who it is, and can send the same again then. */
  get isAboutSignIn(): boolean {
    return ['step_up_required', 'second_factor_required'].includes(this.reason ?? '')
  }

  /** What another person has to approve first; undefined for any other refusal. */
  get approval(): AskedApproval | undefined {
    if (this.reason !== 'approval_required') return undefined
    return this.details['approval'] as AskedApproval
  }

  /** What a person has to read, first of all. */
  get explanation(): string {
    // The advice of the service is for programs.
    if (this.code === 'precondition_failed')
      return 'It has changed since you opened this, and is read again. Look at it, then send this once more.'
    const [problem] = this.problems
    return problem === undefined ? this.message : problemText(problem)
  }
}

export const problemText = ({ message, fix }: FieldProblem): string =>
  fix === undefined ? message : `${withoutPeriod(message)}: ${withoutPeriod(fix)}.`

const withoutPeriod = (text: string): string => text.replace(/\.$/, '')

interface ErrorBody {
  code: string
  message: string
  docs_url?: string
  request_id?: string
  details?: Record<string, unknown>
}

export interface Reply<Body> {
  body: Body
  headers: Headers
  bytes: ArrayBuffer
}

export const freshKey = (): string => `app-${crypto.randomUUID()}`

export const urlOf = (path: string, query: Query = {}): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Makes the call; an expired session is renewed once. */
export const call = async <Body>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Body> => (await callForReply<Body>(method, path, options)).body

export const callForReply = async <Body>(
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> => {
  const response = await responseTo(method, path, options)
  const bytes = await response.arrayBuffer().catch((error: unknown) => {
    // The line broke after the status had arrived: what was answered is not known.
    throw options.signal?.aborted === true ? error : new ApiError(0, undefined)
  })
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const body = isJson && bytes.byteLength > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : null
  if (!response.ok) throw new ApiError(response.status, body?.error)
  return { body: body as Body, headers: response.headers, bytes }
}

/** Whatever is answered, also a refusal. */
export const responseTo = async (
  method: string,
  path: string,
  options: CallOptions,
): Promise<Response> => {
  const attempt = () => timed(method, urlOf(path, options.query), options)
  const response = await attempt()
  const mayRenew = options.token === undefined && options.isProof !== true
  if (response.status !== 401 || !mayRenew) return response
  const renewal = await renewSession()
  if (renewal === 'renewed') return attempt()
  if (renewal === 'ended') return response
  if (renewal === null) throw new ApiError(0, undefined)
  return renewal.clone()
}

const timed = async (method: string, url: string, options: CallOptions): Promise<Response> => {
  const start = performance.now()
  const note = (status: number, requestId: string | null) => {
    const ms = Math.round(performance.now() - start)
    const { pathname: page } = location
    if (url.startsWith('/v1/')) noteCall({ method, url, status, ms, requestId, page })
  }
  try {
    const response = await send(method, url, options)
    note(response.status, response.headers.get('request-id'))
    noteServiceTime(response.headers.get('date'))
    return response
  } catch (error) {
    if (error instanceof ApiError) note(0, null)
    throw error
  }
}

/** After so long an answer counts as lost. What is sent again then has the same key. */
const answerMostMs = 60_000

const send = async (method: string, url: string, options: CallOptions): Promise<Response> => {
  const headers = new Headers()
  const token = options.token ?? sessionToken()
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  if (method !== 'GET' && url.startsWith('/v1/'))
    headers.set('idempotency-key', options.idempotencyKey ?? freshKey())
  if (options.dryRun === true) headers.set('svc-dry-run', 'true')
  if (options.ifMatch !== undefined) headers.set('if-match', `"${options.ifMatch}"`)
  const isForm = options.body instanceof FormData
  if (options.body !== undefined && !isForm) headers.set('content-type', 'application/json')
  const content = isForm ? (options.body as FormData) : JSON.stringify(options.body)
  const late = new AbortController()
  // A file takes as long as its line needs.
  const timer = isForm ? undefined : setTimeout(() => late.abort(), answerMostMs)
  try {
    return await fetch(url, {
      method,
      headers,
      credentials: 'same-origin',
      // Both sides of a document have one address and one ETag: the cache of the browser would show
      // an organization what it has kept for another.
      cache: 'no-store',
      ...(options.body === undefined ? {} : { body: content }),
      signal: AbortSignal.any([late.signal, ...(options.signal ? [options.signal] : [])]),
    })
  } catch (error) {
    if (options.signal?.aborted === true) throw error
    throw new ApiError(0, undefined)
  } finally {
    clearTimeout(timer)
  }
}
