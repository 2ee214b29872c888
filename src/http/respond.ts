/** What leaves: status, headers and bytes, the same for every path through the service. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorDetails, Refusal, errors } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { version } from '../contract/version.ts'
import { matchesWeakly } from '../core/etag.ts'
import { encodeId } from '../core/ids.ts'
import { type ResponseBody, encodeBody } from './response-buffer.ts'
import type { SuccessResult } from './execute.ts'

/** What is known of the call when its answer is written. */
export interface ResponseContext {
  requestId: string
  rateLimit: { policyHeader: string; statusHeader: string }
  baseUrl: string
  /** Nothing on the way may keep the answer. */
  showsSecret?: boolean
}

/** What an operation answered; a reader that has it already gets no body. */
export const sendSuccess = (
  { method, headers: requestHeaders }: IncomingMessage,
  response: ServerResponse,
  responseContext: ResponseContext,
  { answer, originalRequest, dryRun }: SuccessResult,
): void => {
  const { etag, location } = answer
  const headers: Record<string, string> = { ...answer.headers }
  if (etag !== undefined) headers['ETag'] = etag
  if (location !== undefined) headers['Location'] = location
  if (originalRequest !== undefined) {
    headers['Idempotent-Replay'] = 'true'
    headers['Svc-Original-Request-Id'] = encodeId('req', originalRequest)
  }
  if (dryRun === true) headers['Svc-Dry-Run'] = 'true'
  const ifNoneMatch = requestHeaders['if-none-match']
  const isRead = method === 'GET' || method === 'HEAD'
  const isUnchanged =
    ifNoneMatch !== undefined && isRead && etag !== undefined && matchesWeakly(ifNoneMatch, etag)
  send(response, responseContext, isUnchanged ? 304 : answer.status, answer.body, headers)
}

export const send = (
  response: ServerResponse,
  responseContext: ResponseContext,
  status: number,
  body: ResponseBody,
  more: Readonly<Record<string, string>> = {},
): void => {
  if (status === 304) {
    sendHead(response, responseContext, status, more)
    response.end()
    return
  }
  // A short text is cheapest sent in one piece with its head.
  if (typeof body === 'string' && body.length <= limits.singleWriteMaxLength) {
    sendHead(response, responseContext, status, more, Buffer.byteLength(body))
    response.end(body)
    return
  }
  const { bytes, release } = encodeBody(typeof body === 'string' ? [body] : body)
  sendHead(response, responseContext, status, more, bytes.length)
  response.end(bytes, release)
}

/** Status and headers alone, for whoever streams the rest. */
export const sendHead = (
  response: ServerResponse,
  { requestId, rateLimit, showsSecret }: ResponseContext,
  status: number,
  more: Readonly<Record<string, string>>,
  length?: number,
): void => {
  const headers: string[] = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    showsSecret === true ? 'no-store' : 'private, no-cache',
    'X-Content-Type-Options',
    'nosniff',
    'Svc-Api-Version',
    version,
    'Request-Id',
    encodeId('req', requestId),
    'RateLimit-Policy',
    rateLimit.policyHeader,
    'RateLimit',
    rateLimit.statusHeader,
  ]
  for (const name in more) {
    if (name === 'Content-Type') headers[1] = more[name]!
    else if (name === 'Cache-Control') headers[3] = more[name]!
    else headers.push(name, more[name]!)
  }
  if (length !== undefined) headers.push('Content-Length', String(length))
  response.writeHead(status, headers)
}

/** The error envelope of specification 7. */
export const sendRefusal = (
  response: ServerResponse,
  responseContext: ResponseContext,
  refusal: Refusal,
): void => {
  const { status, isRetryable } = errors[refusal.code]
  const isRetriable = isRetryable || refusal.details?.['reason'] === 'request_in_progress'
  const waits = refusal.retryAfterSeconds ?? (status === 503 ? 1 : undefined)
  send(
    response,
    responseContext,
    status,
    envelope(refusal.code, refusal.message, refusal.details, responseContext),
    {
      ...refusal.headers,
      'Svc-Should-Retry': String(isRetriable),
      ...(waits === undefined ? {} : { 'Retry-After': String(waits) }),
    },
  )
}

const envelope = (
  code: string,
  message: string,
  details: ErrorDetails | undefined,
  { requestId, baseUrl }: ResponseContext,
): string =>
  JSON.stringify({
    error: {
      code,
      message,
      docs_url: `${baseUrl}/v1/docs#errors-${code}`,
      request_id: encodeId('req', requestId),
      ...(details === undefined ? {} : { details }),
    },
  })
