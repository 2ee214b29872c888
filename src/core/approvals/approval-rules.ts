/**
 * The rules of an organization: which writes need the consent of whom (contract 12). One row has
 * all of them, so that a decision about a payment loads one row, whatever their number.
 */
import type { ApprovableOperation } from '../../contract/approvals.ts'
import type { Currency } from '../../contract/currencies.ts'
import { type DocumentTypeName, documentTypes } from '../../contract/document-types.ts'
import type { Problem } from '../../contract/problem.ts'
import type { Rows } from '../../database/rows.ts'
import { typeWithArticle } from '../documents/type-names.ts'
import type { Requirement } from './approval-decisions.ts'

export type ApprovalRuleSet = Rows['approval_rule_sets']

/** What is null applies to every write. */
export interface RuleCondition {
  operation: ApprovableOperation
  document_type: DocumentTypeName | null
  /** In minor units. */
  amount_above: string | null
  currency: Currency | null
  connection_id: string | null
}

export interface ApprovalRule extends Pick<Requirement, 'approvers' | 'roles' | 'user_ids'> {
  id: string
  name: string
  when: RuleCondition
  created_at: string
  updated_at: string
}

/** A write as the conditions see it. */
export interface MatchedWrite {
  operation: ApprovableOperation
  /** Null for what pays no document yet, an offer and its acceptance, and if it is not known. */
  document_type: string | null
  amount: bigint
  currency: string
  connection_id: string | null
}

export const rulesOf = (set: ApprovalRuleSet | undefined): ApprovalRule[] =>
  set === undefined ? [] : (JSON.parse(set.rules) as ApprovalRule[])

/** Whether the operation can pay a document of the type: a rule for any other never applies. */
export const typeProblems = (
  operation: ApprovableOperation,
  type: DocumentTypeName | null,
  param: string,
): Problem[] => {
  const message = type === null ? undefined : whyNotPaid(operation, type)
  if (message === undefined) return []
  return [{ param, code: 'invalid_value', message, fix: 'leave it out' }]
}

const whyNotPaid = (operation: ApprovableOperation, type: DocumentTypeName): string | undefined => {
  if (operation.startsWith('finance.offers.'))
    return 'An offer pays no document, so it has no type.'
  if (documentTypes[type].payer === null) return `Nobody pays ${typeWithArticle(type)}.`
  const isRepaid = operation !== 'finance.agreements.repay' || type === 'repayment'
  return isRepaid ? undefined : 'Only a document of the type repayment is repaid.'
}

export const matchingRules = (
  rules: readonly ApprovalRule[],
  write: MatchedWrite,
): readonly ApprovalRule[] => rules.filter(({ when }) => isMatch(when, write))

export const requirementOf = ({
  id,
  name,
  approvers,
  roles,
  user_ids,
}: ApprovalRule): Requirement => ({ rule: { id, name }, approvers, roles, user_ids })

const isMatch = (when: RuleCondition, write: MatchedWrite): boolean =>
  standsFor(write).includes(when.operation) &&
  (when.document_type ?? write.document_type) === write.document_type &&
  (when.currency ?? write.currency) === write.currency &&
  (when.connection_id ?? write.connection_id) === write.connection_id &&
  (when.amount_above === null || write.amount > BigInt(when.amount_above))

/** A document can be paid by several operations, so a rule for one of them holds for all. */
const standsFor = ({
  operation,
  document_type,
}: Pick<MatchedWrite, 'operation' | 'document_type'>): readonly ApprovableOperation[] => {
  if (operation.startsWith('finance.offers.')) return [operation]
  const repays = document_type === 'repayment' ? (['finance.agreements.repay'] as const) : []
  return ['documents.pay', 'documents.transition', ...repays]
}
