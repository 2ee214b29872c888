/**
 * Facts derived from the declaration of an operation, such as which rules apply to it. The OpenAPI
 * document and the docs page agree because both use these functions.
 */
import type { TObject } from 'typebox'
import { deprecationText } from '../contract/deprecation.ts'
import { limits } from '../contract/limits.ts'
import { Document } from '../contract/shapes/documents.ts'
import { joinedByAnd } from '../core/listed-words.ts'
import { codeSpan } from './blocks.ts'
import type { Allowed, Operation } from '../operations/operation.ts'

export const isWrite = ({ method }: Operation): boolean => method !== 'GET'

/** Sign-in is outside of the versioned contract. */
export const isVersioned = ({ isUnversioned }: Pick<Operation, 'isUnversioned'>): boolean =>
  isUnversioned !== true

/** What is outside of the versioned contract keeps no replies. */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  isWrite(operation) && isVersioned(operation)

export const returnsEtag = ({ id, response }: Operation): boolean =>
  response === Document || withOwnEtag.includes(id)

/** Reads whose ETag is a digest of the response. */
const withOwnEtag = [
  'documents.export',
  'documents.render',
  'finance.agreements.export',
  'specification.get',
  'auth_specification.get',
]

export const supportsIfNoneMatch = (operation: Operation): boolean =>
  !isWrite(operation) && returnsEtag(operation)

export const supportsIfMatch = ({ errors = [] }: Operation): boolean =>
  errors.includes('precondition_failed')

/** Whether the caller may ask for some fields of each row alone. */
export const takesFields = ({ query }: Operation): boolean =>
  'fields' in ((query as TObject | undefined)?.properties ?? {})

export const pathParameters = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

export const isLive = ({ mediaType }: Operation): boolean => mediaType === 'text/event-stream'

/** Whether its response carries the event that it appended to the history of a document. */
export const carriesEvent = (operation: Operation): boolean =>
  isWrite(operation) && (operation.response === Document || eventsBeside.includes(operation.id))

/** Writes to a document whose response shows something else. */
const eventsBeside = [
  'attachments.create',
  'sandbox.payments.simulate',
  'finance.offers.accept',
  'finance.agreements.repay',
  'finance.agreements.withdraw',
]

/** The family, or `account` for operations that are always enabled. */
export const tagOf = ({ family }: Operation): string => family ?? 'account'

const accessTexts: Record<Allowed, (scopes: string) => string> = {
  public: () => 'public, no credentials required.',
  any: () => 'any API key or session.',
  scoped: (scopes) => `an API key with ${scopes}, or a session.`,
  session: () => 'a session only.',
  admin: () => 'an admin session only.',
  approver: () => 'a session of an owner, admin or approver.',
  'admin or scoped': (scopes) => `an admin session, or an API key with ${scopes}.`,
}

/** The credentials that the operation requires, as the end of a sentence. */
export const accessText = ({ allowed, scopes: required = [] }: Operation): string =>
  accessTexts[allowed](joinedByAnd(required.map(codeSpan)))

const { idempotencyKeyMinLength, idempotencyKeyMaxLength } = limits

const rules: readonly [appliesTo: (operation: Operation) => boolean, rule: string][] = [
  [
    takesIdempotencyKey,
    `Requires the header \`Idempotency-Key\` (${idempotencyKeyMinLength} to ${idempotencyKeyMaxLength} characters): repeating the same request with the same key returns the stored response. \`Svc-Dry-Run: true\` runs every check and changes nothing.`,
  ],
  [
    supportsIfMatch,
    'Supports `If-Match`: returns 412 if the document has changed since that revision.',
  ],
  [
    carriesEvent,
    'Returns `Svc-Event`: the newest event in the history of the document. [Keep it](#receipts).',
  ],
  [supportsIfNoneMatch, 'Supports `If-None-Match`: returns 304 if nothing has changed.'],
]

/** The rules that apply to the operation in addition to its own description. */
export const rulesOf = (operation: Operation): string[] => [
  ...(operation.deprecation === undefined ? [] : [deprecationText(operation.deprecation)]),
  ...rules.filter(([appliesTo]) => appliesTo(operation)).map(([, rule]) => rule),
]
