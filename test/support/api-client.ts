/** Calls the API over HTTP, as a client does. */
import { randomBytes } from 'node:crypto'
import type { TestService } from './test-service.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  body: any
}

export const freshIdempotencyKey = (): string => `test-${randomBytes(12).toString('hex')}`

export interface RequestOptions {
  key?: string
  /** Sent as JSON, or unchanged if it is a form. */
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  raw?: string | Buffer
  headers?: Record<string, string>
}

/** Makes one call. A write gets a fresh Idempotency-Key; a header set to '' is not sent. */
export const callApi = async (
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  method: string,
  path: string,
  { key, body, raw, headers = {} }: RequestOptions = {},
): Promise<Reply> => {
  const sent: Record<string, string> = {}
  if (key !== undefined) sent['authorization'] = `Bearer ${key}`
  if (method !== 'GET') sent['idempotency-key'] = freshIdempotencyKey()
  const isForm = body instanceof FormData
  const content = raw ?? (isForm || body === undefined ? body : JSON.stringify(body))
  if (content !== undefined && !isForm) sent['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(headers)) {
    if (value === '') delete sent[name.toLowerCase()]
    else sent[name.toLowerCase()] = value
  }
  const response = await fetch(baseUrl + path, {
    method,
    headers: sent,
    redirect: 'manual',
    ...(content === undefined ? {} : { body: content as string | FormData }),
  })
  const isLive = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = isLive ? await beginningOf(response) : await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

/** Sends the same write until the service is not too busy for it. */
export const writeWhenFree = async (
  service: Pick<TestService, 'baseUrl'>,
  method: 'POST' | 'PATCH',
  path: string,
  { key, body = {}, headers: more = {} }: { key: string; body?: object; headers?: object },
): Promise<Reply> => {
  const headers = { 'idempotency-key': freshIdempotencyKey(), ...more }
  for (;;) {
    const reply = await callApi(service, method, path, { key, body, headers })
    if (reply.status !== 503) return reply
  }
}

export const postWhenFree = (
  service: Pick<TestService, 'baseUrl'>,
  path: string,
  request: Parameters<typeof writeWhenFree>[3],
): Promise<Reply> => writeWhenFree(service, 'POST', path, request)

/** What a response without an end sends at first. */
const beginningOf = async (response: Response): Promise<string> => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const { value = '' } = await reader.read()
  await reader.cancel()
  return value
}
