/**
 * The `details` of each error code (contract 2), for readers of a refusal. Every field is optional
 * here: a refusal has those that apply to it, and later versions may add more.
 */
import { type TSchema, Type } from 'typebox'
import { currencies } from '../currencies.ts'
import { conflictReasons, signInConflictReasons } from '../conflict-reasons.ts'
import { type ErrorCode } from '../errors.ts'
import { problemCodes } from '../problem.ts'
import { Id, Money, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { OutputObject } from './objects.ts'

const Texts = (description: string) => Type.Array(Type.String(), { description })
const ResetsAt = Nullable(Timestamp('When it resets; null if it never does.'))

export const InputProblem = OutputObject(
  {
    param: Type.String({
      description: 'A JSON pointer, a query name or a header name; empty for the whole body.',
      examples: ['/line_items/0/tax_rate'],
    }),
    code: StringEnum(problemCodes, 'What is wrong.'),
    message: Type.String({ description: 'What is wrong, in words.' }),
    fix: Type.Optional(Type.String({ description: 'What to send instead.' })),
  },
  'One problem with the input.',
)

const AskedApproval = OutputObject(
  {
    id: Nullable(Id('apr', 'The approval; null in a dry run.')),
    digest: Nullable(Type.String({ description: 'What a person repeats to approve.' })),
    summary: Type.String({ description: 'What is to be approved, in words.' }),
    expires_at: Nullable(Timestamp('Until when it can be approved and used.')),
    url: Nullable(Type.String({ description: 'Where a program reads it, with a credential.' })),
    page: Nullable(
      Type.String({ description: 'Where a person signs in and decides, in the console.' }),
    ),
  },
  'What a person has to approve.',
)

const quotaDetails = {
  quota: Type.String({ description: 'The name of the quota.' }),
  limit: Type.Integer({ description: 'The quota.' }),
  used: Type.Integer({ description: 'How much of it is used.' }),
  resets_at: ResetsAt,
}

const conflictDetails = {
  reason: StringEnum(conflictReasons, 'Why the state forbids it.'),
  allowed: Texts('The statuses to which the caller can move the record now.'),
  from: Type.String({ description: 'The current status.' }),
  to: Type.String({ description: 'The requested status.' }),
  side: Type.String({ description: "The caller's side of the record.", examples: ['issuer'] }),
  approval: AskedApproval,
  fields: Texts('The fields of the profiles that are missing (`profile_incomplete`).'),
  document_id: Id('doc', 'The document in whose state the reason lies.'),
  connection_id: Id('con', 'The connection that there is already.'),
  offer_id: Id('ofr', 'The offer to which the digest does not belong.'),
  account_id: Id('acct', 'The account that an open agreement uses.'),
  status: Type.String({ description: 'The status of a document that is to be converted.' }),
  convertible_to: Texts('The types to which it can be converted from this side.'),
  convertible_in: Texts('The statuses in which it can be converted.'),
  rule: Type.String({ description: 'The rule of a format that an export would break.' }),
  approval_id: Id('apr', 'The approval to which the digest does not belong.'),
  ...quotaDetails,
  limit: Type.Integer({ description: 'The quota, or how often a document may change.' }),
}

const limitDetails = {
  limit: StringEnum(['max_per_payment', 'daily_volume'], 'The limit of the key.'),
  max: Money('The limit.'),
  used: Nullable(Money('Paid or reserved today.')),
  attempted: Money('The amount of the payment.'),
  currency: StringEnum(currencies, 'ISO 4217.'),
  resets_at: ResetsAt,
}

const fieldsByCode: Partial<Record<ErrorCode, Readonly<Record<string, TSchema>>>> = {
  invalid_request: { errors: Type.Array(InputProblem, { description: 'All problems at once.' }) },
  forbidden: {
    address: Type.String({ description: "The caller's address, as the service sees it." }),
    reason: Type.String({ description: 'Why a session was refused.' }),
  },
  insufficient_scope: {
    required_scopes: Texts('The scopes that the operation requires.'),
    key_scopes: Texts('The scopes of the caller.'),
  },
  capability_unavailable: {
    capability: Type.String({ description: 'What the organization lacks.' }),
    reason: Type.String({ description: 'Why it lacks it.' }),
    blockers: Texts('What has to be resolved.'),
  },
  not_enabled: { family: Type.String({ description: 'The family that is not served.' }) },
  payment_limit_exceeded: limitDetails,
  not_found: {
    resource: Type.String({ description: 'The kind of record; `route` for an unknown path.' }),
    id: Type.String({ description: 'The id that was sent.' }),
    param: Type.String({ description: 'A JSON pointer, if the id was in the body.' }),
  },
  not_acceptable: { available: Texts('The formats that this type has.') },
  conflict: conflictDetails,
  idempotency_conflict: {
    original_request_id: Id('req', 'The request that used the key first.'),
    first_seen_at: Timestamp('When it did.'),
  },
  precondition_failed: {
    current_revision: Type.Integer({ description: 'The revision of the record now.' }),
  },
  payload_too_large: { limit_bytes: Type.Integer({ description: 'What is accepted.' }) },
  rate_limited: {
    policy: Type.String({ description: 'The name of the limit.' }),
    limit: Type.Integer({ description: 'Requests in one window.' }),
    window_seconds: Type.Number({ description: 'The length of the window.' }),
    retry_after_seconds: Type.Number({ description: 'How long to wait.' }),
  },
  sandbox_quota: quotaDetails,
  integrity_failure: { incident_id: Type.String({ description: 'Quote it to the operator.' }) },
  service_unavailable: { reason: Type.String({ description: 'What is not available.' }) },
}

/** The details of `conflict` under /auth. */
const signInConflictDetails = {
  ...conflictDetails,
  reason: StringEnum([...conflictReasons, ...signInConflictReasons], 'Why the state forbids it.'),
  interval: Type.Integer({ description: 'How many seconds to wait before the next poll.' }),
}

/** The details of an error with this code; an open object if the contract names no fields. */
export const detailsOf = (code: ErrorCode, { isSignIn = false } = {}): TSchema => {
  const ofCode = isSignIn && code === 'conflict' ? signInConflictDetails : fieldsByCode[code]
  const fields = Object.entries<TSchema>(ofCode ?? {})
  return OutputObject(
    Object.fromEntries(fields.map(([name, field]) => [name, Type.Optional(field)])),
    'Details that a program can act on.',
  )
}
