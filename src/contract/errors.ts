/**
 * Every error code (specification 7, contract 2), in order of precedence. A handler throws
 * `refuse(code, message, details)`; the pipeline builds the envelope.
 */
import type { ConflictReason, SignInConflictReason } from './conflict-reasons.ts'
import type { errorCodes } from './error-codes.ts'
import { identityLimits } from './identity-limits.ts'
import { limits } from './limits.ts'
import type { Problem } from './problem.ts'
import { idPattern } from './shapes/field-types.ts'

export interface ErrorDefinition {
  status: number
  /** Svc-Should-Retry: whether the same request may succeed later. */
  isRetryable: boolean
  meaning: string
  fix: string
}

export const errors = {
  unauthorized: {
    status: 401,
    isRetryable: false,
    meaning: 'The credential is missing, wrong, revoked, expired or rotated out.',
    fix: 'Send `Authorization: Bearer <API_KEY>` with an active key.',
  },
  forbidden: {
    status: 403,
    isRetryable: false,
    meaning:
      "The caller's address is outside the key's allowed_cidrs. Of the MCP server also: the Host or Origin of the request is not allowed, or the endpoint does not offer the tool (`details.reason`).",
    fix: 'Call from an allowed address, or create a key whose allowed_cidrs contain this one. The message says what else to change.',
  },
  rate_limited: {
    status: 429,
    isRetryable: true,
    meaning: 'The caller sent more requests than its rate limit allows.',
    fix: 'Wait as long as Retry-After says, then send the same request again.',
  },
  not_found: {
    status: 404,
    isRetryable: false,
    meaning: 'No such record for this organization, or no such path.',
    fix: 'Check the id and which organization the key belongs to.',
  },
  method_not_allowed: {
    status: 405,
    isRetryable: false,
    meaning: 'The path exists, but not with this method.',
    fix: 'Use one of the methods in the Allow header.',
  },
  payload_too_large: {
    status: 413,
    isRetryable: false,
    meaning: 'The body is larger than this operation accepts.',
    fix: 'Send at most `details.limit_bytes` bytes.',
  },
  not_enabled: {
    status: 403,
    isRetryable: false,
    meaning: 'The family is not enabled in this deployment.',
    fix: 'GET /v1/enablement lists what this deployment serves.',
  },
  insufficient_scope: {
    status: 403,
    isRetryable: false,
    meaning: 'The caller lacks a scope that the operation requires.',
    fix: 'Use a key with `details.required_scopes`; `admin_session` means an admin session token, `approver_session` that of an owner, admin or approver, `session` that of any person.',
  },
  capability_unavailable: {
    status: 403,
    isRetryable: false,
    meaning: 'The organization lacks a capability, such as verification or a payment processor.',
    fix: 'Resolve what `details.reason` and `details.blockers` name.',
  },
  unsupported_media_type: {
    status: 415,
    isRetryable: false,
    meaning: 'The operation does not accept this media type.',
    fix: 'Send `Content-Type: application/json`, or `multipart/form-data` to upload a file.',
  },
  idempotency_conflict: {
    status: 409,
    isRetryable: false,
    meaning: 'The Idempotency-Key was already used for a different request.',
    fix: 'Use a new Idempotency-Key for a new request; the first response stays replayable.',
  },
  invalid_request: {
    status: 400,
    isRetryable: false,
    meaning: 'The request is malformed or fails validation.',
    fix: '`details.errors` names every field and what to send instead.',
  },
  not_acceptable: {
    status: 406,
    isRetryable: false,
    meaning: 'The format exists, but not for this document type.',
    fix: 'Request one of `details.available`.',
  },
  sandbox_isolation: {
    status: 403,
    isRetryable: false,
    meaning: 'Sandbox and live are isolated from each other.',
    fix: 'Use a key of the environment to which the record belongs.',
  },
  precondition_failed: {
    status: 412,
    isRetryable: false,
    meaning: 'If-Match does not name the current revision.',
    fix: 'Read the record again, then retry with its new ETag.',
  },
  conflict: {
    status: 409,
    isRetryable: false,
    meaning: "The record's state does not allow this.",
    fix: '`details.reason` says why; `details.allowed` lists the legal targets of a transition.',
  },
  payment_limit_exceeded: {
    status: 403,
    isRetryable: false,
    meaning: "The payment would exceed one of the key's payment_limits.",
    fix: 'Wait until `details.resets_at` if there is one, use a key with a higher limit, or let a person pay.',
  },
  sandbox_quota: {
    status: 429,
    isRetryable: false,
    meaning: 'The sandbox has reached one of its quotas.',
    fix: 'Wait until `details.resets_at` if there is one, or make room as the message says.',
  },
  processor_error: {
    status: 502,
    isRetryable: true,
    meaning: 'The payment processor failed before anything was booked.',
    fix: 'Send the same request again with the same Idempotency-Key.',
  },
  integrity_failure: {
    status: 500,
    isRetryable: false,
    meaning: 'The stored record does not match its proofs. Nothing was returned.',
    fix: 'Contact the operator with `details.incident_id`.',
  },
  internal_error: {
    status: 500,
    isRetryable: true,
    meaning: 'Something failed on our side.',
    fix: 'Send the same request again with the same Idempotency-Key; quote `request_id` if it persists.',
  },
  service_unavailable: {
    status: 503,
    isRetryable: true,
    meaning: 'The service is temporarily unavailable.',
    fix: 'Wait as long as Retry-After says, then send the same request with the same Idempotency-Key.',
  },
} as const satisfies Record<(typeof errorCodes)[number], ErrorDefinition>

export type ErrorCode = keyof typeof errors

export type ErrorDetails = { readonly [name: string]: unknown }

type ConflictDetails = ErrorDetails & { reason: ConflictReason | SignInConflictReason }

/** A refusal that the contract defines. Anything else that is thrown is a bug and becomes a 500. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(
    code: ErrorCode,
    message: string,
    details?: ErrorDetails,
    options: { retryAfterSeconds?: number; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers
  }
}

export const isRefusal = (error: unknown, code: ErrorCode): error is Refusal =>
  error instanceof Refusal && error.code === code

export const refuse = <C extends ErrorCode>(
  code: C,
  message: string,
  details?: C extends 'conflict' ? ConflictDetails : ErrorDetails,
  options?: { retryAfterSeconds?: number; headers?: Record<string, string> },
): Refusal => new Refusal(code, message, details, options)

/** 503, to be repeated in a second: with its Idempotency-Key, that is always safe. */
export const unavailable = (message: string, details?: ErrorDetails): Refusal =>
  refuse('service_unavailable', message, details, { retryAfterSeconds: 1 })

/** 409 for what another request is about to finish: to be repeated in a second. */
export const inProgress = (message: string): Refusal =>
  refuse('conflict', message, { reason: 'request_in_progress' }, { retryAfterSeconds: 1 })

/** 401, always with the scheme in which a credential is sent (RFC 9110, 11.6.1). */
export const unauthorized = (
  message: string = errors.unauthorized.fix,
  details?: ErrorDetails,
): Refusal =>
  refuse('unauthorized', message, details, { headers: { 'WWW-Authenticate': 'Bearer' } })

/**
 * 404, the same for a missing record and for one that is not the caller's (contract 1). `param`
 * points to the id when it was sent in a body.
 */
export const notFound = (resource: string, id: string, param?: string): Refusal => {
  const noun = resource.replaceAll('_', ' ')
  const message =
    id === ''
      ? `The path ends before the ${noun}'s id. Remove the last slash to get the list.`
      : `There is no ${noun} ${id} for this organization.${howToFind(resource, id)}`
  return refuse('not_found', message, { resource, id, ...(param === undefined ? {} : { param }) })
}

const documentId = new RegExp(idPattern('doc'))

/** Whoever has a number in place of an id is told how to find the id, whether or not it exists. */
const howToFind = (resource: string, id: string): string =>
  resource === 'document' && !documentId.test(id)
    ? ' An id looks like doc_…; find it with search, or with query of GET /v1/documents (documents_list).'
    : ''

interface ExceededLimit {
  policy: string
  limit: number
  windowSeconds: number
  retryAfterSeconds: number
}

/** Beyond a limit of so many in so long; what the details and Retry-After say agrees. */
export const rateLimited = (
  message: string,
  { policy, limit, windowSeconds, retryAfterSeconds }: ExceededLimit,
): Refusal =>
  refuse(
    'rate_limited',
    message,
    { policy, limit, window_seconds: windowSeconds, retry_after_seconds: retryAfterSeconds },
    { retryAfterSeconds },
  )

/** The Idempotency-Key belongs to another request. */
export const keyReused = (original_request_id: string, first_seen_at: string): Refusal =>
  refuse(
    'idempotency_conflict',
    'This Idempotency-Key was used for another request. Use a new key for a new request.',
    { original_request_id, first_seen_at },
  )

/** 401 for the token of a session that has ended or never was, in the same words (contract 2). */
export const sessionNotActive = (): Refusal => {
  const hours = identityLimits.sessionLifetimeMs / 3_600_000
  const message = `This session is not active. A session lasts ${hours} hours: sign in again (POST /auth/sessions).`
  return unauthorized(message)
}

/**
 * 400 that reports all problems at once (contract 2): it lists the first ones and counts the
 * others. `unlisted` are problems that were found but not put into words.
 */
export const invalidRequest = (found: Problem | readonly Problem[], unlisted = 0): Refusal => {
  const problems = [found].flat()
  const errors = problems.slice(0, limits.problemsListedMax)
  const more = problems.length - errors.length + unlisted
  return refuse('invalid_request', summary(errors, more), { errors })
}

/** 400 for a body that has problems which its schema cannot express. */
export const refuseProblems = (problems: readonly Problem[]): void => {
  if (problems.length > 0) throw invalidRequest(problems)
}

const summary = (listed: readonly Problem[], more: number): string => {
  const [first] = listed
  if (first === undefined) return 'The request is not valid.'
  const place = first.param === '' ? '' : `${first.param}: `
  return `${place}${first.message}${furtherText(listed.length, more)}`
}

const furtherText = (listed: number, more: number): string => {
  if (more > 0)
    return ` details.errors lists the first ${listed} problems, and ${more} more were found.`
  return listed > 1 ? ` See details.errors for ${listed - 1} more.` : ''
}
