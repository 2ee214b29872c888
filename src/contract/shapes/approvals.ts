/** Approvals (contract 12): writes that a person consents to by their digest. */
import { type Static, Type } from 'typebox'
import { approvableOperations, approvalStatuses } from '../approvals.ts'
import { currencies } from '../currencies.ts'
import { approvalLimits } from '../approval-limits.ts'
import { roleNames } from '../role-names.ts'
import { Id, Line, Money, Nullable, StringEnum, Timestamp } from './field-types.ts'
import {
  CommaList,
  InputObject,
  OpenObject,
  OutputObject,
  PageOf,
  pageParameters,
} from './objects.ts'

const Digest = (description: string) =>
  Type.String({
    pattern: '^sha256:[0-9a-f]{64}$',
    description,
    examples: [`sha256:${'5f'.repeat(32)}`],
  })

const Decision = OutputObject(
  {
    user_id: Id('usr', 'Who decided.'),
    decision: StringEnum(['approve', 'decline'], 'What was decided.'),
    reason: Nullable(Type.String()),
    at: Timestamp('When.'),
  },
  'The decision of one person.',
)

export const ApprovalRequirement = OutputObject(
  {
    rule_id: Nullable(Id('rul', 'The rule; null if the key asks for it itself.')),
    name: Nullable(Type.String()),
    approvers: Type.Integer({ description: 'How many have to approve.' }),
    roles: Nullable(Type.Array(StringEnum(roleNames, 'A role.'))),
    user_ids: Nullable(Type.Array(Id('usr', 'A user.'))),
  },
  'How many approvers are needed, and who counts.',
)

export const Approval = OutputObject(
  {
    id: Id('apr', 'The approval.'),
    status: StringEnum(approvalStatuses, 'The current status.'),
    summary: Type.String({ description: 'What is to be approved, in words.' }),
    digest: Digest('The SHA-256 of the statement in the canonical form of RFC 8785.'),
    statement: Type.Unsafe<object>(OpenObject('Exactly what is to be approved.')),
    operation: StringEnum(approvableOperations, 'The operation that waits.'),
    amount: Money('What it pays, or binds to pay.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    key_id: Nullable(Id('key', 'The key that asked.')),
    user_id: Nullable(Id('usr', 'The user who asked.')),
    requirements: Type.Array(ApprovalRequirement),
    decisions: Type.Array(Decision),
    created_at: Timestamp('When it was asked for.'),
    expires_at: Timestamp('Until when it can be approved and used.'),
    ended_at: Nullable(Timestamp('When it was executed, declined or found to be stale.')),
  },
  'A write that waits for the consent of a person.',
)
export type Approval = Static<typeof Approval>

export const ApprovalPage = PageOf(Approval, 'Approvals, the newest first.')

export const ApprovalListFilters = InputObject(
  {
    ...pageParameters,
    status: Type.Optional(CommaList(StringEnum(approvalStatuses, 'A status.'), 'Statuses.')),
  },
  'Filters of the approvals.',
)

export const ApprovalConsent = InputObject(
  { digest: Digest('The digest of what you have read.') },
  'Consent to exactly this.',
)

export const ApprovalDecline = InputObject(
  { reason: Type.Optional(Line(approvalLimits.declineReasonMaxLength, 'Why, for whoever asked.')) },
  'A refusal to consent.',
)
