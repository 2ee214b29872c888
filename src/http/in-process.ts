/**
 * Performs an operation for a request that is in progress, such as a tool call: through the same
 * pipeline as a request of its own, for the caller and from the address of the outer one, without
 * a connection. The stages see a request and a response that are backed by the outer ones.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Admission, Exchange, RouteMatch } from './exchange.ts'
import { handleRequest } from './pipeline.ts'

export interface InnerRequest {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  content: string | Buffer | undefined
}

export interface InnerResponse {
  status: number
  /** Names and values in turn, as they would be sent. */
  headers: readonly string[]
  /** Bytes that are no text are in Base64. */
  text: string
}

export const performInside = async (
  outer: Exchange,
  match: RouteMatch & { admission: Admission },
  inner: InnerRequest,
): Promise<InnerResponse> => {
  const request = innerRequestOf(outer.request, inner)
  const response = new CollectedResponse(outer.response)
  await handleRequest(
    outer.pipeline,
    // Both have what the stages use, and nothing that could touch the connection.
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    match,
  )
  const { statusCode: status, headers, text } = response
  return { status, headers, text }
}

/** The outer request's socket and addresses, with a method, path, headers and body of its own. */
const innerRequestOf = ({ socket, headers: outer }: IncomingMessage, inner: InnerRequest) => {
  const { method, url, content } = inner
  const forwarded = outer['x-forwarded-for']
  const headers: Record<string, string> = {
    host: outer.host ?? '',
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': String(forwarded) }),
    ...inner.headers,
    ...(content === undefined ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
  }
  const rawHeaders = Object.entries(headers).flat()
  const request = { method, url, headers, rawHeaders, socket, httpVersionMinor: 1, complete: true }
  if (content === undefined) return request
  const body = new Readable({ read: () => undefined })
  body.push(content)
  body.push(null)
  return Object.assign(body, request)
}

/** Collects the response; hanging up the outer request hangs up this one. */
class CollectedResponse {
  /** The name that ServerResponse has for it, which the log of requests reads. */
  statusCode = 0
  headers: readonly string[] = []
  text = ''
  /** The connection is the outer response's. */
  shouldKeepAlive = true
  readonly #outer: ServerResponse

  constructor(outer: ServerResponse) {
    this.#outer = outer
  }

  get destroyed(): boolean {
    return this.#outer.destroyed
  }

  get writableFinished(): boolean {
    return this.#outer.writableFinished
  }

  once(event: string, listener: () => void): void {
    this.#outer.once(event, listener)
  }

  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status
    this.headers = headers
  }

  end(body: string | Buffer = '', then?: BufferEncoding | (() => void)): void {
    const isBytes = this.headers.includes('application/pdf')
    this.text = typeof body === 'string' ? body : body.toString(isBytes ? 'base64' : 'utf8')
    if (typeof then === 'function') then()
  }
}
