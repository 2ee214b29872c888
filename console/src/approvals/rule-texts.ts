/** Approval rules in words. */
import type { ApprovalRule, DocumentTypeName, MemberRole } from '../api/types.ts'
import { wordsOf } from '../design/format.tsx'

export type Operation = ApprovalRule['when']['operation']

/** `documents.transition` means the same as `documents.pay`, so only one of them is offered. */
export const operationTexts: Readonly<Record<Exclude<Operation, 'documents.transition'>, string>> =
  {
    'documents.pay': 'Paying a document',
    'finance.offers.create': 'Offering a loan',
    'finance.offers.accept': 'Accepting an offer',
    'finance.agreements.repay': 'Repaying a loan',
  }

export const offeredOperation = (operation: Operation): keyof typeof operationTexts =>
  operation === 'documents.transition' ? 'documents.pay' : operation

/** An offer, and its acceptance, pay no document yet; what is repaid is always a repayment. */
export const hasTypes = (operation: Operation): boolean =>
  offeredOperation(operation) === 'documents.pay'

export const operationText = (operation: Operation, type: DocumentTypeName | null): string =>
  type === null
    ? operationTexts[offeredOperation(operation)]
    : `${operationTexts[offeredOperation(operation)]}: ${wordsOf(type).toLowerCase()}`

interface Approvers {
  approvers: number
  roles: readonly MemberRole[] | null
  user_ids: readonly string[] | null
}

const roleNouns: Partial<Record<MemberRole, string>> = {
  owner: 'owners',
  admin: 'admins',
  approver: 'approvers',
}

const approverNouns = (roles: readonly MemberRole[] | null): string =>
  (roles ?? ['owner', 'admin', 'approver']).map((role) => roleNouns[role] ?? role).join(', ')

/** "2 of owners, admins, approvers". */
export const approversText = ({ approvers, roles, user_ids }: Approvers): string =>
  user_ids === null
    ? `${approvers} of ${approverNouns(roles)}`
    : `${approvers} of ${user_ids.length} named ${user_ids.length === 1 ? 'person' : 'people'}`
