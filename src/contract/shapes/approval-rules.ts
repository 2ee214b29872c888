/** Rules that say which writes need an approval, and whose (contract 12). */
import { type Static, type TSchema, Type } from 'typebox'
import { approvalLimits } from '../approval-limits.ts'
import { approvableOperations } from '../approvals.ts'
import { currencies } from '../currencies.ts'
import { documentTypeNames } from '../document-types.ts'
import { roleNames } from '../role-names.ts'
import { approvingRoles } from '../roles.ts'
import { ApprovalRequirement } from './approvals.ts'
import { Id, Money, NonBlankLine, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject, PageOf, pageParameters } from './objects.ts'

const operation = StringEnum(
  approvableOperations,
  'What needs the approval. documents.pay and documents.transition mean the same: whatever pays a document, by any operation, or cancels that.',
)
const documentType = StringEnum(documentTypeNames, 'Only documents of this type.')
const currency = StringEnum(currencies, 'Only in this currency.')
const connectionId = Id('con', 'Only with this partner.')
const amountAbove = Money('Only more than this; with currency.')

const Condition = OutputObject(
  {
    operation,
    document_type: Nullable(documentType),
    amount_above: Nullable(amountAbove),
    currency: Nullable(currency),
    connection_id: Nullable(connectionId),
  },
  'When the rule applies.',
)

export const ApprovalRule = OutputObject(
  {
    id: Id('rul', 'The rule.'),
    name: Type.String(),
    when: Condition,
    approvers: Type.Integer({ description: 'How many people have to approve.' }),
    roles: Nullable(Type.Array(StringEnum(roleNames, 'A role.'))),
    user_ids: Nullable(Type.Array(Id('usr', 'A user.'))),
    created_at: Timestamp('When it was created.'),
    updated_at: Timestamp('When it last changed.'),
  },
  'A rule that makes writes wait for people.',
)
export type ApprovalRule = Static<typeof ApprovalRule>

export const ApprovalRulePage = PageOf(ApprovalRule, 'Approval rules, the newest first.')

export const ApprovalRuleFilters = InputObject(pageParameters, 'The page of approval rules.')

const OptionalOrNull = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

const ConditionInput = InputObject(
  {
    operation,
    document_type: OptionalOrNull(documentType),
    amount_above: OptionalOrNull(amountAbove),
    currency: OptionalOrNull(currency),
    connection_id: OptionalOrNull(connectionId),
  },
  'When the rule applies.',
)

const name = NonBlankLine(approvalLimits.ruleNameMaxLength, 'What the rule is for.')

const who = {
  approvers: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: approvalLimits.ruleApproversMax,
      default: 1,
      description: 'How many people have to approve.',
    }),
  ),
  roles: OptionalOrNull(
    Type.Array(StringEnum(approvingRoles, 'A role.'), {
      minItems: 1,
      maxItems: approvingRoles.length,
      description:
        'Whose approval counts; without roles and user_ids, that of all who may approve.',
    }),
  ),
  user_ids: OptionalOrNull(
    Type.Array(Id('usr', 'A user.'), {
      minItems: 1,
      maxItems: approvalLimits.ruleUsersMax,
      description: 'Whose approval counts, instead of roles.',
    }),
  ),
}

export const ApprovalRuleCreate = InputObject({ name, when: ConditionInput, ...who }, 'A new rule.')
export type ApprovalRuleCreate = Static<typeof ApprovalRuleCreate>

export const ApprovalRuleUpdate = InputObject(
  { name: Type.Optional(name), when: Type.Optional(ConditionInput), ...who },
  'What changes; when is replaced whole.',
)
export type ApprovalRuleUpdate = Static<typeof ApprovalRuleUpdate>

export const ApprovalRuleTest = InputObject(
  {
    operation,
    document_type: OptionalOrNull(documentType),
    amount: Money('What would be paid.'),
    currency: StringEnum(currencies, 'ISO 4217.'),
    connection_id: OptionalOrNull(connectionId),
  },
  'A write to try the rules with.',
)

export const ApprovalRuleTestResult = OutputObject(
  {
    requires_approval: Type.Boolean({ description: 'Whether a session would have to ask.' }),
    requirements: Type.Array(
      OutputObject(
        {
          ...ApprovalRequirement.properties,
          eligible_members: Type.Integer({
            description: 'How many members count today. Whoever asks is not among the approvers.',
          }),
        },
        'A rule that applies.',
      ),
    ),
  },
  'What the rules would ask for.',
)
