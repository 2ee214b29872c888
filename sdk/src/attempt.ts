/** One HTTP request with its whole response, within its deadline. */
import { ConnectionError, TimeoutError } from './errors.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ReceivedResponse {
  status: number
  headers: Headers
  bytes: Uint8Array
  /** Undefined unless it is JSON of the service. */
  json: unknown
}

export interface Deadline {
  signal?: AbortSignal | undefined
  timeoutMs: number
}

/** A longer timer would end at once. */
export const longestTimerMs = 2 ** 31 - 1

/** Throws ConnectionError, TimeoutError, or the reason with which the caller aborted. */
export const attempt = async (
  fetch: Fetch,
  url: string,
  init: RequestInit,
  { signal, timeoutMs }: Deadline,
): Promise<ReceivedResponse> => {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort()
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      abort()
    },
    Math.min(timeoutMs, longestTimerMs),
  )
  signal?.addEventListener('abort', abort)
  try {
    const sent = { ...init, redirect: 'error', signal: controller.signal } as const
    return await received(await fetch(url, sent))
  } catch (cause) {
    signal?.throwIfAborted()
    if (isLate) throw new TimeoutError(`No complete answer within ${timeoutMs} ms.`, { cause })
    if (cause instanceof ConnectionError) throw cause
    throw lostConnection(url, cause)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

export const lostConnection = (url: string, cause: unknown): ConnectionError => {
  const { message, cause: reason } = cause as Error & { cause?: Partial<Error> & { code?: string } }
  // `fetch failed` alone says nothing.
  const why = reason?.code ?? reason?.message
  return new ConnectionError(
    `The connection to ${new URL(url).origin} failed: ${message}${why ? ` (${why})` : ''}`,
    { cause },
  )
}

/** Not every runtime notices that a body ended early, nor can it where nothing tells the length. */
const received = async (response: Response): Promise<ReceivedResponse> => {
  const { status, headers } = response
  const bytes = new Uint8Array(await response.arrayBuffer())
  const length = headers.get('content-length')
  if (length !== null && !headers.has('content-encoding') && bytes.length < Number(length)) {
    throw new ConnectionError(`The answer ended after ${bytes.length} of ${length} bytes.`)
  }
  return { status, headers, bytes, json: jsonOf(headers, bytes) }
}

const jsonOf = (headers: Headers, bytes: Uint8Array): unknown => {
  const contentType = headers.get('content-type') ?? 'application/json'
  const isObject = bytes[0] === 0x7b
  // What stands in front of the service may answer what it likes, and name another type.
  if (!headers.has('svc-api-version')) return
  if (!isObject && !contentType.startsWith('application/json')) return
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ConnectionError('The answer is not complete: it is not JSON.', { cause })
  }
}

/** Waits, unless the caller aborts. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal!.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, ms)
    if (signal?.aborted === true) aborted()
    else signal?.addEventListener('abort', aborted, { once: true })
  })
