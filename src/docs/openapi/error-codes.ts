/** Which error codes each operation can return, for the OpenAPI document and the docs page. */
import { errorCodes } from '../../contract/error-codes.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { scopes } from '../../contract/scopes.ts'
import type { Operation } from '../../operations/operation.ts'
import { isWrite, pathParameters, takesIdempotencyKey } from '../operation-facts.ts'

const isAuthenticated = ({ allowed }: Operation) => allowed !== 'public'

const needsScope = ({ allowed }: Operation) => allowed !== 'public' && allowed !== 'any'

const needsCapability = ({ scopes: required = [] }: Operation) =>
  required.some((scope) => 'needs' in scopes[scope])

/** Enablement is the one family that a deployment cannot switch off. */
const canBeDisabled = ({ family }: Operation) => family !== undefined && family !== 'enablement'

const hasParameters = (operation: Operation) => pathParameters(operation).length > 0

/** The errors that the pipeline may raise before and around a handler (http/pipeline.ts). */
const codesByCause: readonly [
  appliesTo: (operation: Operation) => boolean,
  codes: readonly ErrorCode[],
][] = [
  [() => true, ['invalid_request', 'rate_limited', 'internal_error', 'service_unavailable']],
  [isAuthenticated, ['unauthorized', 'forbidden']],
  [needsScope, ['insufficient_scope']],
  [needsCapability, ['capability_unavailable']],
  [canBeDisabled, ['not_enabled']],
  [hasParameters, ['not_found']],
  [isWrite, ['payload_too_large', 'unsupported_media_type']],
  [takesIdempotencyKey, ['conflict', 'idempotency_conflict']],
]

/** Every error code the operation can return, in order of precedence. */
export const possibleErrorCodes = (operation: Operation): ErrorCode[] => {
  const pipelineCodes = codesByCause.flatMap(([appliesTo, codes]) =>
    appliesTo(operation) ? codes : [],
  )
  const possible = new Set<ErrorCode>([...pipelineCodes, ...(operation.errors ?? [])])
  return errorCodes.filter((code) => possible.has(code))
}
