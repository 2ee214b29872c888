/** Sends every response of the service: status, headers and body. */
import { deprecationHeaders } from '../contract/deprecation.ts'
import { type Refusal, errors } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { version } from '../contract/version.ts'
import { matchesWeakly } from '../core/etag.ts'
import { encodeId } from '../core/ids.ts'
import { operationDocsUrl } from '../docs/chapters/resources.ts'
import { compressedText } from './compression.ts'
import { type ResponseBody, encodeBody } from './response-buffer.ts'
import { noteIfWaiting } from './slow-readers.ts'
import type { Exchange } from './exchange.ts'
import type { ChangesResult, OperationResult, StreamResult, SuccessResult } from './execute.ts'

/** The last stage. */
export const respond = (
  exchange: Exchange,
  result: Exclude<OperationResult, StreamResult | ChangesResult>,
): void => {
  if ('refusal' in result) sendRefusal(exchange, result.refusal)
  else sendSuccess(exchange, result)
}

/** Sends 304 without a body to a client that has the current version. */
const sendSuccess = (
  exchange: Exchange,
  { response, originalRequestId, dryRun }: SuccessResult,
): void => {
  const { method, headers: requestHeaders } = exchange.request
  const { etag, location, receipt } = response
  const headers: Record<string, string> = { ...response.headers }
  if (etag !== undefined) headers['ETag'] = etag
  if (location !== undefined) headers['Location'] = location
  if (receipt !== undefined) headers['Svc-Event'] = receipt
  if (originalRequestId !== undefined) {
    headers['Idempotent-Replay'] = 'true'
    headers['Svc-Original-Request-Id'] = encodeId('req', originalRequestId)
  }
  if (dryRun === true) headers['Svc-Dry-Run'] = 'true'
  const isPublic = exchange.route?.operation.allowed === 'public'
  if (isPublic && etag !== undefined && typeof response.body === 'string') {
    sendText(exchange, { text: response.body, etag }, headers)
    return
  }
  // Both sides read one address, and their record has one ETag: the cache of a browser would show
  // one side what the other has read.
  if (etag !== undefined) headers['Cache-Control'] ??= 'no-store'
  const ifNoneMatch = requestHeaders['if-none-match']
  const isRead = method === 'GET' || method === 'HEAD'
  const isUnchanged =
    ifNoneMatch !== undefined && isRead && etag !== undefined && matchesWeakly(ifNoneMatch, etag)
  send(exchange, isUnchanged ? 304 : response.status, response.body, headers)
}

/** A text that is the same for everybody: 304 for who has it, compressed for who can read that. */
export const sendText = (
  exchange: Exchange,
  { text, etag }: { text: string; etag: string },
  more: Readonly<Record<string, string>>,
): void => {
  const { request } = exchange
  const compressed = compressedText(request, text, etag)
  const headers = {
    ...more,
    // Weak, because the bytes differ by encoding.
    ETag: compressed === undefined ? etag : `W/${etag}`,
    Vary: [more['Vary'], 'Accept-Encoding'].filter(Boolean).join(', '),
  }
  if (matchesWeakly(request.headers['if-none-match'] ?? '', etag)) {
    send(exchange, 304, '', headers)
  } else if (compressed === undefined) send(exchange, 200, text, headers)
  else {
    const { encoding, bytes } = compressed
    send(exchange, 200, bytes, { ...headers, 'Content-Encoding': encoding })
  }
}

export const send = (
  exchange: Exchange,
  status: number,
  body: ResponseBody,
  more: Readonly<Record<string, string>> = {},
): void => {
  write(exchange, status, body, more)
  noteIfWaiting(exchange.response)
}

const write = (
  exchange: Exchange,
  status: number,
  body: ResponseBody,
  more: Readonly<Record<string, string>>,
): void => {
  const { response } = exchange
  if (status === 304) {
    sendHead(exchange, status, more)
    response.end()
    return
  }
  // A short text leaves in the same write as its head.
  if (typeof body === 'string' && body.length <= limits.singleWriteMaxLength) {
    const length = Buffer.byteLength(body)
    sendHead(exchange, status, more, length)
    // For UTF-8, Node.js would reserve three bytes a character, and more than its stack has.
    response.end(body, length === body.length ? 'latin1' : 'utf8')
    return
  }
  if (Buffer.isBuffer(body)) {
    sendHead(exchange, status, more, body.length)
    response.end(body)
    return
  }
  const { bytes, release } = encodeBody(typeof body === 'string' ? [body] : body)
  sendHead(exchange, status, more, bytes.length)
  response.end(bytes, release)
}

/** Status and headers alone; the caller streams the body. */
export const sendHead = (
  exchange: Exchange,
  status: number,
  more: Readonly<Record<string, string>>,
  length?: number,
): void => {
  const headers: string[] = [
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    exchange.showsSecret ? 'no-store' : 'private, no-cache',
    ...standardHeaders(exchange),
  ]
  for (const name in more) {
    if (name === 'Content-Type') headers[1] = more[name]!
    else if (name === 'Cache-Control') headers[3] = more[name]!
    else headers.push(name, more[name]!)
  }
  if (length !== undefined) headers.push('Content-Length', String(length))
  exchange.response.writeHead(status, headers)
}

/** The headers of every response (contract 1). */
const standardHeaders = (exchange: Exchange): string[] => {
  // Every response shows its rate windows, even if no caller was identified.
  exchange.rateLimitStatus ??= exchange.pipeline.rateLimits.count('unknown', '')
  const { policyHeader, header } = exchange.rateLimitStatus
  const { id, deprecation } = exchange.route?.operation ?? {}
  return [
    'X-Content-Type-Options',
    'nosniff',
    'Svc-Api-Version',
    version,
    'Request-Id',
    encodeId('req', exchange.requestId),
    'RateLimit-Policy',
    policyHeader,
    'RateLimit',
    header,
    ...(deprecation === undefined
      ? []
      : deprecationHeaders(
          deprecation,
          operationDocsUrl(exchange.pipeline.context.config.baseUrl, id!),
        )),
  ]
}

/** The error envelope of specification 7. */
export const sendRefusal = (exchange: Exchange, refusal: Refusal): void => {
  exchange.refusal = refusal
  const { code, details } = refusal
  const { status, isRetryable } = errors[code]
  const shouldRetry = isRetryable || details?.['reason'] === 'request_in_progress'
  const retryAfter = refusal.retryAfterSeconds ?? (status === 503 ? 1 : undefined)
  send(exchange, status, errorEnvelope(refusal, exchange), {
    ...refusal.headers,
    ...logEntryLink(exchange),
    'Svc-Should-Retry': String(shouldRetry),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  })
}

/** Where the organization reads what became of the request, if the log will have it. */
const logEntryLink = ({ caller, path, pipeline, requestId }: Exchange): { Link?: string } => {
  const isLogged = caller !== undefined && path.startsWith('/v1/')
  if (!isLogged || !pipeline.context.config.families.has('keys')) return {}
  return { Link: `</v1/requests/${encodeId('req', requestId)}>; rel="about"` }
}

const errorEnvelope = (
  { code, message, details }: Refusal,
  { requestId, pipeline }: Exchange,
): string =>
  JSON.stringify({
    error: {
      code,
      message,
      docs_url: `${pipeline.context.config.baseUrl}/v1/docs#errors-${code}`,
      request_id: encodeId('req', requestId),
      ...(details === undefined ? {} : { details }),
    },
  })
