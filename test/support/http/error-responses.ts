/** The form of every response and every refusal (contract 1 and 2), independent of the service. */
import assert from 'node:assert/strict'
import type { Reply } from '../api-client.ts'

/** The table of contract 2: each code's status, and whether the same request may succeed later. */
export const errorCodes: Readonly<Record<string, readonly [number, boolean]>> = {
  invalid_request: [400, false],
  unauthorized: [401, false],
  forbidden: [403, false],
  insufficient_scope: [403, false],
  capability_unavailable: [403, false],
  not_enabled: [403, false],
  payment_limit_exceeded: [403, false],
  sandbox_isolation: [403, false],
  not_found: [404, false],
  method_not_allowed: [405, false],
  not_acceptable: [406, false],
  conflict: [409, false],
  idempotency_conflict: [409, false],
  precondition_failed: [412, false],
  payload_too_large: [413, false],
  unsupported_media_type: [415, false],
  rate_limited: [429, true],
  sandbox_quota: [429, false],
  internal_error: [500, true],
  integrity_failure: [500, false],
  processor_error: [502, true],
  service_unavailable: [503, true],
}

/** The fields of `details` per code (contract 2); a code that is absent requires none. */
const detailFields: Readonly<Record<string, readonly string[]>> = {
  invalid_request: ['errors'],
  forbidden: ['address'],
  insufficient_scope: ['required_scopes', 'key_scopes'],
  capability_unavailable: ['capability', 'reason'],
  not_enabled: ['family'],
  not_found: ['resource', 'id'],
  conflict: ['reason'],
  idempotency_conflict: ['original_request_id', 'first_seen_at'],
  precondition_failed: ['current_revision'],
  payload_too_large: ['limit_bytes'],
  rate_limited: ['policy', 'limit', 'window_seconds', 'retry_after_seconds'],
}
const codesWithoutDetails = ['unauthorized', 'internal_error']

const headerPatterns: Readonly<Record<string, RegExp>> = {
  'svc-api-version': /^1\.16\.0$/,
  'request-id': /^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/,
  'ratelimit-policy': /^"sec";q=\d+;w=1,"min";q=\d+;w=60$/,
  ratelimit: /^"sec";r=\d+;t=\d+,"min";r=\d+;t=\d+$/,
}

/** Checks the headers that every response carries (contract 1). */
export const assertCommonHeaders = ({ headers }: Pick<Reply, 'headers'>): void => {
  for (const [name, form] of Object.entries(headerPatterns)) {
    assert.match(headers.get(name) ?? '(absent)', form, name)
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- details have the shape of their code
export type Details = any

/** Asserts a refusal with this code in the form of contract 1 and 2, and returns its details. */
export const assertRefused = (reply: Reply, code: string, reason?: string): Details => {
  assert.equal(reply.body?.error?.code, code, `${reply.status} ${reply.text}`)
  const [status, mayRetry] = errorCodes[code]!
  assert.equal(reply.status, status, reply.text)
  assertCommonHeaders(reply)
  const { headers, body } = reply
  const { message, docs_url, request_id, details, ...rest } = body.error
  assert.deepEqual([Object.keys(body), Object.keys(rest)], [['error'], ['code']], reply.text)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert(typeof message === 'string' && message.length > 0, 'there is a message')
  assert.match(docs_url, new RegExp(`^https?://[^#]+/v1/docs#errors-${code}$`))
  assert.equal(request_id, headers.get('request-id'), 'the envelope names the request')
  const isInProgress = reason === 'request_in_progress'
  assert.equal(
    headers.get('svc-should-retry'),
    String(mayRetry || isInProgress),
    'Svc-Should-Retry',
  )
  const hasRetryAfter = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
  assert.equal(
    hasRetryAfter,
    isInProgress || ['rate_limited', 'service_unavailable'].includes(code),
  )
  assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null)
  assert.equal(headers.has('allow'), status === 405, 'Allow')
  const isSignIn = reason === 'mfa_required'
  if (codesWithoutDetails.includes(code) && !isSignIn)
    assert.equal(details, undefined, 'no details')
  for (const field of detailFields[code] ?? []) assert(field in (details ?? {}), `details.${field}`)
  if (code === 'invalid_request') details.errors.forEach(assertProblem)
  if (details?.reason === 'illegal_transition') {
    assert(Array.isArray(details.allowed), `allowed is listed: ${reply.text}`)
    for (const field of ['from', 'to', 'side']) {
      assert.equal(typeof details[field], 'string', `${field} is named: ${reply.text}`)
    }
  }
  if (reason !== undefined) assert.equal(details.reason, reason)
  return details
}

const problemCodes = [
  'required',
  'unknown_field',
  'read_only',
  'wrong_type',
  'invalid_value',
  'out_of_range',
  'too_precise',
  'too_long',
  'missing_header',
  'invalid_cursor',
  'tax_is_per_line',
]

export interface Problem {
  param: string
  code: string
  message: string
  fix?: string
}

const assertProblem = ({ param, code, message, fix = 'x', ...rest }: Problem): void => {
  assert.deepEqual(rest, {}, 'a problem has param, code, message and fix')
  assert.equal(typeof param, 'string')
  assert(problemCodes.includes(code), `${code} is a problem code`)
  assert(message.length > 0 && fix.length > 0, 'message and fix are not empty')
  assert(!namesItself(param, message), `the message repeats its param: ${param}: ${message}`)
}

/** Whether the message begins with the name that the message of the refusal puts before it. */
const namesItself = (param: string, message: string): boolean => {
  if (param === '') return false
  const words = param.split('/').at(-1)!.split(/[_-]/)
  const name = words.map((word) => RegExp.escape(word)).join('[ _-]')
  return new RegExp(`^((the|an?) )?\`?${name}(?![\\w-])`, 'i').test(message)
}

/** Asserts 400 with exactly these problems (`param code`) in any order, and returns them. */
export const assertProblems = (reply: Reply, ...expected: string[]): Problem[] => {
  const { errors } = assertRefused(reply, 'invalid_request') as { errors: Problem[] }
  const actual = errors.map(({ param, code }) => `${param} ${code}`)
  assert.deepEqual(actual.toSorted(), expected.toSorted(), reply.text)
  return errors
}

/** The response text without the ids that may differ: of the request, and of the resource. */
export const withoutIds = ({ text }: Reply, id = 'req_'): string =>
  text.replaceAll(/req_\w+/g, 'REQ').replaceAll(id, 'ID')
