/** Sends a call, as often as it may be repeated without a second effect. */
import { ApiPromise, type ApiResponse } from './api-promise.ts'
import { type Fetch, type ReceivedResponse, attempt, lostConnection, pause } from './attempt.ts'
import { ApiError, ConnectionError, DocexError, type ErrorEnvelope } from './errors.ts'
import { type ClaimedKey, type DocexKeyStore, claimFrom, newKey } from './key-store.ts'
import type { Receipts } from './receipts.ts'
import {
  type CallDescription,
  type ChangeOptions,
  bodyOf,
  checkHeader,
  contentOf,
  headersOf,
  urlOf,
} from './request.ts'
import { jitterMs, retryDelayMs } from './retries.ts'
import { sdkVersion } from './version.ts'

const logLevels = ['off', 'error', 'warn', 'info', 'debug'] as const

export interface ClientOptions {
  /** Default: the environment variable DOCEX_API_KEY. */
  apiKey?: string | undefined
  /** Default: the environment variable DOCEX_BASE_URL. */
  baseUrl?: string | undefined
  /** How often a call is repeated where that is safe. Default 2. */
  maxRetries?: number | undefined
  /** How long one attempt may take. Default 30 s. */
  timeoutMs?: number | undefined
  fetch?: Fetch | undefined
  /** Methods, paths, statuses and times; never bodies or secrets. Default `off`. */
  logLevel?: (typeof logLevels)[number] | undefined
  /** Keeps the Idempotency-Keys of writes whose outcome is not known. */
  keyStore?: DocexKeyStore | undefined
  /** Compares every answer with what was acknowledged before. */
  receipts?: Receipts | undefined
}

/** A configured connection to the service, for the functions of `docex/functions`. */
export interface Client {
  json<T>(call: CallDescription, options?: ChangeOptions): ApiPromise<T>
  /** The exact bytes of the response. */
  bytes(call: CallDescription, options?: ChangeOptions): Promise<ApiResponse<Uint8Array>>
  /** One attempt at a response without an end, whose body is still to be read. */
  open(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response>
}

type Log = (level: 'error' | 'warn' | 'info' | 'debug', message: string) => void

interface Settings {
  apiKey: string
  baseUrl: string
  maxRetries: number
  timeoutMs: number
  fetch: Fetch
  log: Log
  claimKey: (url: string, call: CallDescription) => Promise<ClaimedKey>
}

export const createClient = (options: ClientOptions = {}): Client => {
  const settings = settingsOf(options)
  checkedOptions(settings, {})
  const { receipts } = options
  const answerTo = async (call: CallDescription, callOptions: ChangeOptions = {}) => {
    const known = await receipts?.before(call)
    const received = await send(settings, call, callOptions)
    const response = responseOf(received)
    await receipts?.after(call, response, known)
    return { response, json: received.json }
  }
  return {
    bytes: async (call, callOptions) => (await answerTo(call, callOptions)).response,
    open: (path, headers, signal) => open(settings, path, { headers, signal }),
    json: <T>(call: CallDescription, callOptions?: ChangeOptions) =>
      new ApiPromise<T>(answerTo(call, callOptions).then(parsed<T>)),
  }
}

const settingsOf = (options: ClientOptions): Settings => {
  const apiKey = (options.apiKey ?? environment('DOCEX_API_KEY'))?.trim()
  const baseUrl = options.baseUrl ?? environment('DOCEX_BASE_URL')
  if (!apiKey) throw new TypeError('Send `apiKey`, or set DOCEX_API_KEY.')
  checkHeader('apiKey', apiKey)
  if (!baseUrl?.includes('/') || /[?#]/.test(baseUrl))
    throw new TypeError('Send `baseUrl`, such as https://…, or set DOCEX_BASE_URL.')
  const { keyStore, logLevel = 'off' } = options
  const claim = keyStore && claimFrom(keyStore)
  return {
    apiKey,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    maxRetries: options.maxRetries ?? 2,
    timeoutMs: options.timeoutMs ?? 30_000,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    log: (level, message) => {
      if (logLevels.indexOf(level) <= logLevels.indexOf(logLevel)) console[level](message)
    },
    claimKey: async (url, call) =>
      claim
        ? claim(await contentOf(url, call))
        : { key: newKey(), isNew: true, release: async () => undefined },
  }
}

/** Some runtimes have no environment, and some refuse to show it. */
const environment = (name: string): string | undefined => {
  try {
    return globalThis.process?.env[name]
  } catch {
    return undefined
  }
}

interface Answer {
  response: ApiResponse<Uint8Array>
  json: unknown
}

/** An export that is not JSON stays a text, and a PDF stays bytes. */
const parsed = <T>({ response, json }: Answer): ApiResponse<T> => {
  const { data, headers } = response
  const isPdf = headers.get('content-type') === 'application/pdf'
  return { ...response, data: (isPdf ? data : (json ?? new TextDecoder().decode(data))) as T }
}

const open = async (
  settings: Settings,
  path: string,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<Response> => {
  const url = settings.baseUrl + path
  const sent = { ...callerHeaders(settings), ...headers }
  const init = { method: 'GET', headers: sent, redirect: 'error', signal } as const
  const response = await settings.fetch(url, init).catch((cause: unknown) => {
    throw lostConnection(url, cause)
  })
  const { status } = response
  settings.log('debug', `docex: GET ${path} ${status}`)
  if (response.ok && response.headers.has('svc-api-version')) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  throw failureOf({ status, headers: response.headers, bytes, json: undefined })!
}

/** Runtimes do not notice the early end of a compressed body, of which no length is known. */
const callerHeaders = ({ apiKey }: Settings) => ({
  accept: 'application/json',
  'accept-encoding': 'identity',
  authorization: `Bearer ${apiKey}`,
  'user-agent': `docex-js/${sdkVersion}`,
})

const send = async (
  settings: Settings,
  call: CallDescription,
  callOptions: ChangeOptions,
): Promise<ReceivedResponse> => {
  const options = checkedOptions(settings, callOptions)
  const url = urlOf(settings.baseUrl, call)
  const isWrite = call.method !== 'GET'
  const given = options.idempotencyKey ?? (options.dryRun === true ? newKey() : undefined)
  const claimed = isWrite && given === undefined ? await settings.claimKey(url, call) : undefined
  const key = isWrite ? (given ?? claimed?.key) : undefined
  const isNew = claimed?.isNew !== false
  let attempts = 0
  const counted: Fetch = (...request) => {
    attempts += 1
    return settings.fetch(...request)
  }
  try {
    const request = { url, key, options }
    const response = await sendRepeatedly({ ...settings, fetch: counted }, call, request)
    await claimed?.release(true)
    return response
  } catch (error) {
    const isKnown = isFinal(error) || (isNew && attempts === 0)
    if (error instanceof DocexError) {
      error.idempotencyKey = key
      const isFirst = isNew && attempts === 1
      error.mayHaveTakenEffect =
        isWrite && options.dryRun !== true && !isKnown && !(isFirst && isRefused(error))
    }
    await claimed?.release(isKnown)
    throw error
  }
}

const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.headers.get('svc-should-retry') === 'false'

/**
 * The write had no effect, and never will have one. Credentials are checked before the key is
 * looked up, and what is damaged (500) is not read, so neither refusal says what an earlier attempt
 * did; an approval lets the write run.
 */
const isFinal = (error: unknown): boolean =>
  isRefused(error) &&
  ![401, 403, 500].includes(error.status) &&
  !(error.is('conflict') && error.details.reason === 'approval_required')

/** Another value would repeat a call without end, or make a write that was meant to be tried. */
const checkedOptions = (settings: Settings, options: ChangeOptions) => {
  const timeoutMs = options.timeoutMs ?? settings.timeoutMs
  const maxRetries = options.maxRetries ?? settings.maxRetries
  if (!(timeoutMs > 0)) throw new TypeError('`timeoutMs` takes milliseconds, more than 0.')
  if (!Number.isInteger(maxRetries) || maxRetries < 0)
    throw new TypeError('`maxRetries` takes a whole number, 0 or more.')
  if (typeof (options.dryRun ?? false) !== 'boolean')
    throw new TypeError('`dryRun` takes true or false.')
  return { ...options, timeoutMs, maxRetries }
}

interface Request {
  url: string
  key: string | undefined
  options: ReturnType<typeof checkedOptions>
}

const sendRepeatedly = async (
  settings: Settings,
  call: CallDescription,
  { url, key, options }: Request,
): Promise<ReceivedResponse> => {
  const { log } = settings
  const { body, contentType } = bodyOf(call)
  const headers = {
    ...callerHeaders(settings),
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...headersOf(options, key),
  }
  const init = { method: call.method, headers, ...(body === undefined ? {} : { body }) }
  for (let failures = 0; ; failures += 1) {
    const name = `${call.method} ${call.path}`
    const isLast = failures >= options.maxRetries
    const started = performance.now()
    const result = await attempt(settings.fetch, url, init, options).catch((error: unknown) => {
      if (error instanceof ConnectionError) return error
      throw error
    })
    const ms = Math.round(performance.now() - started)
    const error = result instanceof ConnectionError ? result : failureOf(result)
    log('debug', `docex: ${name} ${outcomeOf(result)} in ${ms} ms`)
    if (error === undefined) return result as ReceivedResponse
    const delay =
      error instanceof ApiError
        ? retryDelayMs(error.headers, failures)
        : result === error
          ? jitterMs(failures)
          : undefined
    if (isLast || delay === undefined) {
      log('error', `docex: ${name} failed: ${error.message}`)
      throw error
    }
    log('warn', `docex: ${name} again in ${Math.round(delay)} ms: ${error.message}`)
    await pause(delay, options.signal)
  }
}

const outcomeOf = (result: ReceivedResponse | ConnectionError): string =>
  result instanceof ConnectionError
    ? result.name
    : `${result.status} ${result.headers.get('request-id') ?? ''}`.trimEnd()

/** What is wrong with a response; undefined if nothing is. */
const failureOf = (response: ReceivedResponse): ApiError | ConnectionError | undefined => {
  const { status, headers, bytes, json } = response
  // Exports are not JSON; only the service names its version.
  if (status < 400 && headers.has('svc-api-version')) return undefined
  try {
    const envelope = (json ?? JSON.parse(new TextDecoder().decode(bytes))) as ErrorEnvelope
    if (typeof envelope.error.code === 'string') return new ApiError(status, envelope, headers)
  } catch {
    // Something between here and the service answered.
  }
  return new ConnectionError(
    `Not an answer of the service (${status}): check baseUrl, and what stands in front of it.`,
  )
}

const responseOf = ({ status, headers, bytes }: ReceivedResponse): ApiResponse<Uint8Array> => ({
  data: bytes,
  bytes,
  status,
  requestId: headers.get('request-id') ?? '',
  headers,
  replayed: headers.get('idempotent-replay') === 'true',
})
