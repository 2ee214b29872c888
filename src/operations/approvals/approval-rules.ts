/** Approval rules: which writes of an organization wait, and for whom (contract 12). */
import type { Static } from 'typebox'
import type { Call } from '../../context.ts'
import { approvalLimits } from '../../contract/approval-limits.ts'
import { refuseProblems } from '../../contract/errors.ts'
import type { Problem } from '../../contract/problem.ts'
import { type Role, approvingRoles } from '../../contract/roles.ts'
import {
  ApprovalRule,
  ApprovalRuleCreate,
  ApprovalRuleFilters,
  ApprovalRulePage,
  ApprovalRuleTest,
  ApprovalRuleTestResult,
  ApprovalRuleUpdate,
} from '../../contract/shapes/approval-rules.ts'
import { NoBody } from '../../contract/shapes/documents.ts'
import {
  type RuleChange,
  conditionProblems,
  createRule,
  deleteRule,
  updateRule,
} from '../../changes/approvals/approval-rules.ts'
import { type Requirement, countsFor } from '../../core/approvals/approval-decisions.ts'
import {
  type ApprovalRule as Rule,
  matchingRules,
  requirementOf,
  rulesOf,
  typeProblems,
} from '../../core/approvals/approval-rules.ts'
import { parseThreshold } from '../../core/approvals/thresholds.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import { fromMinor } from '../../core/money.ts'
import { ruleSetOf } from '../../store/approvals/approval-rules.ts'
import { type MemberRow, membersOf } from '../../store/identity/members.ts'
import { toRequirement } from './approvals.ts'
import { type SemanticContext, operation } from '../operation.ts'
import { openPage } from '../paging.ts'

const toRule = ({ id, name, when, approvers, roles, user_ids, ...times }: Rule): ApprovalRule => ({
  id: encodeId('rul', id),
  name,
  when: {
    operation: when.operation,
    document_type: when.document_type,
    amount_above: when.amount_above === null ? null : fromMinor(BigInt(when.amount_above)),
    currency: when.currency,
    connection_id: when.connection_id === null ? null : encodeId('con', when.connection_id),
  },
  approvers,
  roles: roles === null ? null : [...roles],
  user_ids: user_ids?.map((user) => encodeId('usr', user)) ?? null,
  created_at: times.created_at,
  updated_at: times.updated_at,
})

const ruleDefaults = { family: 'payments', since: '1.16.0', allowed: 'admin' } as const

export const list = operation({
  ...ruleDefaults,
  id: 'approval_rules.list',
  method: 'GET',
  path: '/v1/approval_rules',
  summary: 'List approval rules, newest first',
  query: ApprovalRuleFilters,
  response: ApprovalRulePage,
  summaryFields: ['id', 'name', 'when', 'approvers'],
}).reads(async (call, { query }) => {
  const page = openPage(call, 'approval_rules', query)
  const rules = rulesOf(await ruleSetOf(call.read, call.organization.id))
  const older = rules.filter(({ id }) => page.before === undefined || id < page.before)
  const rows = older.toReversed().slice(0, page.limit)
  return { body: page.of(rows, toRule, ({ id }) => id) }
})

export const create = operation({
  ...ruleDefaults,
  id: 'approval_rules.create',
  method: 'POST',
  path: '/v1/approval_rules',
  summary: 'Create an approval rule',
  description:
    'Binds sessions, and keys with requires_approval or beyond requires_approval_above. Everyone who asks needs others to approve.',
  body: ApprovalRuleCreate,
  response: ApprovalRule,
  status: 201,
  errors: ['conflict', 'not_found'],
}).transacts(
  async (tx, call, { body }) => {
    const record = toRule(await createRule(tx, call.organization.id, body))
    return { body: record, resourceId: record.id }
  },
  { problems: conditionProblems },
)

const changeOf = ({ organization }: Call, id: string): RuleChange => ({
  organization: organization.id,
  id,
})

export const update = operation({
  ...ruleDefaults,
  id: 'approval_rules.update',
  method: 'PATCH',
  path: '/v1/approval_rules/{id}',
  summary: 'Change an approval rule',
  description: 'What waits already keeps the requirements with which it was asked.',
  body: ApprovalRuleUpdate,
  response: ApprovalRule,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(
  async (tx, call, { params, body }) => ({
    body: toRule(await updateRule(tx, changeOf(call, params.id), body)),
  }),
  { problems: conditionProblems },
)

export const remove = operation({
  ...ruleDefaults,
  id: 'approval_rules.delete',
  method: 'DELETE',
  path: '/v1/approval_rules/{id}',
  summary: 'Delete an approval rule',
  description: 'Returns the last record. What waits already still waits.',
  body: NoBody,
  response: ApprovalRule,
  errors: ['not_found', 'sandbox_isolation'],
}).transacts(async (tx, call, { params }) => ({
  body: toRule(await deleteRule(tx, changeOf(call, params.id))),
}))

/** What the body tries, and what is wrong with it. */
const triedWrite = (body: Static<typeof ApprovalRuleTest>) => {
  const paid = body.operation === 'finance.agreements.repay' ? 'repayment' : null
  const document_type = body.document_type ?? paid
  const problems: Problem[] = typeProblems(body.operation, document_type, '/document_type')
  return { document_type, amount: parseThreshold(body.amount, '/amount', problems), problems }
}

const triedProblems = (
  body: Static<typeof ApprovalRuleTest>,
  { isSound }: SemanticContext,
): readonly Problem[] =>
  ['/operation', '/document_type', '/amount'].every(isSound) ? triedWrite(body).problems : []

export const tryRules = operation({
  ...ruleDefaults,
  id: 'approval_rules.test',
  method: 'POST',
  path: '/v1/approval_rules/test',
  summary: 'Try the approval rules with a write',
  description: 'Says what a session would have to wait for. Changes nothing.',
  body: ApprovalRuleTest,
  response: ApprovalRuleTestResult,
}).transacts(
  async (tx, call, { body }) => {
    const { problems, document_type, amount } = triedWrite(body)
    refuseProblems(problems)
    const { operation: tried, currency, connection_id = null } = body
    const rules = rulesOf(await ruleSetOf(tx, call.organization.id))
    const connection = connection_id === null ? null : decodeId('con', connection_id)!
    const write = { operation: tried, document_type, amount, currency, connection_id: connection }
    const requirements = matchingRules(rules, write).map(requirementOf)
    const members = await membersOf(tx, call.organization.id, {
      roles: approvingRoles,
      before: undefined,
      limit: approvalLimits.eligibleMembersCountedMax,
    })
    return {
      body: {
        requires_approval: requirements.length > 0,
        requirements: requirements.map((requirement) => ({
          ...toRequirement(requirement),
          eligible_members: members.filter((member) => isEligible(requirement, member)).length,
        })),
      },
    }
  },
  { problems: triedProblems },
)

const isEligible = (requirement: Requirement, { user_id, role }: MemberRow): boolean =>
  countsFor(requirement, { user_id, role: role as Role })
