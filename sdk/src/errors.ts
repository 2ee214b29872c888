/** The errors that a call can end with. All of them are a DocexError. */
import type { ErrorCode } from './generated/types.ts'
import type { ErrorDetails } from './error-details.ts'

export class DocexError extends Error {
  /** The Idempotency-Key of the write: send it again to repeat the same intention. */
  idempotencyKey: string | undefined
  /** Of a write: whether an attempt may have taken effect. Of earlier calls, only a store knows. */
  mayHaveTakenEffect = false

  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
  }
}

export interface ErrorEnvelope {
  error: {
    code: ErrorCode
    message: string
    docs_url: string
    request_id: string
    details?: unknown
  }
}

/** The service refused the request. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends DocexError {
  readonly code: Code
  readonly status: number
  readonly requestId: string
  readonly docsUrl: string
  /** What a program can act on; `is()` tells its type. */
  readonly details: ErrorDetails[Code]
  readonly headers: Headers

  constructor(status: number, envelope: ErrorEnvelope, headers: Headers) {
    const { code, message, docs_url, request_id, details } = envelope.error
    super(message)
    this.code = code as Code
    this.status = status
    this.requestId = request_id
    this.docsUrl = docs_url
    this.details = details as ErrorDetails[Code]
    this.headers = headers
  }

  /** Whether the error has this code; if so, `details` has its type. */
  is<Wanted extends ErrorCode>(code: Wanted): this is ApiError<Wanted> {
    return (this.code as ErrorCode) === code
  }
}

/** No complete answer of the service arrived: whether a write took effect is not known. */
export class ConnectionError extends DocexError {}

/** No complete answer arrived within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** A webhook was not signed with the secret, or not within the last 300 seconds. */
export class SignatureError extends DocexError {}
