/**
 * What follows from the declaration of an operation: who may call it, which rules hold for it, and
 * every error code it can answer. The specification document and the docs page say the same because
 * both ask here.
 */
import { type ErrorCode, errorCodes } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { scopes } from '../contract/scopes.ts'
import { Document } from '../contract/shapes/documents.ts'
import type { Allowed, Operation } from '../operations/operation.ts'

export const isWrite = ({ method }: Operation): boolean => method !== 'GET'

/** Answers with the revision of what it shows. */
export const returnsEtag = ({ id, response }: Operation): boolean =>
  response === Document || id === 'specification.get'

export const honoursIfNoneMatch = (operation: Operation): boolean =>
  !isWrite(operation) && returnsEtag(operation)

export const honoursIfMatch = ({ errors = [] }: Operation): boolean =>
  errors.includes('precondition_failed')

/** The names in braces, in the order of the path. */
export const pathParameters = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** The family, or `account` for what is always on. */
export const tagOf = ({ family }: Operation): string => family ?? 'account'

const code = (text: string): string => `\`${text}\``

const callers: Record<Allowed, (needed: string) => string> = {
  public: () => 'anyone, without credentials.',
  any: () => 'any API key or session.',
  scoped: (needed) => `an API key with ${needed}, or a session.`,
  admin: () => 'an admin session only.',
  'admin or scoped': (needed) => `an admin session, or an API key with ${needed}.`,
}

/** Who may call it, as the end of a sentence. */
export const whoMayCall = ({ allowed, scopes: needed = [] }: Operation): string =>
  callers[allowed](needed.map(code).join(' and '))

const { idempotencyKeyMinLength: least, idempotencyKeyMaxLength: most } = limits

const rules: readonly [holds: (operation: Operation) => boolean, rule: string][] = [
  [
    isWrite,
    `Needs the header \`Idempotency-Key\` (${least} to ${most} characters): the same key with the same request answers the kept reply. \`Svc-Dry-Run: true\` checks everything and changes nothing.`,
  ],
  [honoursIfMatch, 'Honours `If-Match`: 412 when the document has changed since that revision.'],
  [honoursIfNoneMatch, 'Honours `If-None-Match`: 304 when nothing has changed.'],
]

/** The rules that hold for it besides its own description. */
export const rulesOf = (operation: Operation): string[] =>
  rules.filter(([holds]) => holds(operation)).map(([, rule]) => rule)

const isAuthenticated = ({ allowed }: Operation) => allowed !== 'public'

const needsScope = ({ allowed }: Operation) => allowed !== 'public' && allowed !== 'any'

const needsCapability = ({ scopes: needed = [] }: Operation) =>
  needed.some((scope) => 'needs' in scopes[scope])

/** Enablement is the one family that no deployment switches off. */
const canBeDisabled = ({ family }: Operation) => family !== undefined && family !== 'enablement'

const hasParameters = (operation: Operation) => pathParameters(operation).length > 0

/** What the pipeline may refuse before and around a handler (http/pipeline.ts). */
const codesByCause: readonly [
  holds: (operation: Operation) => boolean,
  codes: readonly ErrorCode[],
][] = [
  [() => true, ['invalid_request', 'rate_limited', 'internal_error', 'service_unavailable']],
  [isAuthenticated, ['unauthorized', 'forbidden']],
  [needsScope, ['insufficient_scope']],
  [needsCapability, ['capability_unavailable']],
  [canBeDisabled, ['not_enabled']],
  [hasParameters, ['not_found']],
  [isWrite, ['payload_too_large', 'unsupported_media_type', 'conflict', 'idempotency_conflict']],
]

/** Every code it can answer, in the order in which one wins over another. */
export const possibleErrorCodes = (operation: Operation): ErrorCode[] => {
  const caused = codesByCause.filter(([holds]) => holds(operation)).flatMap(([, codes]) => codes)
  const possible = new Set<ErrorCode>([...caused, ...(operation.errors ?? [])])
  return errorCodes.filter((one) => possible.has(one))
}
