/**
 * What a person approves: one write, down to its body, the version of what it changes, amount and
 * payee. Its canonical form (RFC 8785) is hashed, so that nobody approves anything else.
 */
import type { ApprovableOperation } from '../../contract/approvals.ts'
import { canonicalJson } from '../canonical-json.ts'
import { encodeId } from '../ids.ts'
import { minorText } from '../money.ts'

/** The record that the write changes, in the version that was approved. */
export type ApprovalSubject =
  | { document: { id: string; revision: number }; agreement?: VersionByTime }
  | { listing: VersionByTime }
  | { offer: VersionByTime; listing: VersionByTime }

interface VersionByTime {
  id: string
  updated_at: string
}

export interface ApprovalFacts {
  id: string
  organization: string
  /** Who asks: the id of a key or of a user. */
  asker: { key_id: string } | { user_id: string }
  operation: ApprovableOperation
  path: string
  body: unknown
  subject: ApprovalSubject
  amount: bigint
  currency: string
  payee: string
  expiresAt: string
}

/** The statement, as it is shown. */
export type ApprovalStatement = ApprovalSubject & {
  amount: string
  body: object
  currency: string
  operation: ApprovableOperation
  path: string
  payee: string
}

export const approvalStatement = (facts: ApprovalFacts): string =>
  canonicalJson({
    ...facts.subject,
    ...facts.asker,
    amount: minorText(facts.amount),
    approval_id: encodeId('apr', facts.id),
    body: facts.body ?? {},
    currency: facts.currency,
    expires_at: facts.expiresAt,
    operation: facts.operation,
    organization_id: encodeId('org', facts.organization),
    path: facts.path,
    payee: encodeId('org', facts.payee),
    type: 'approval',
    version: 1,
  })

/** Whether the statement is about this version of the record. */
export const isAbout = (statement: string, subject: ApprovalSubject): boolean => {
  const stated = JSON.parse(statement) as Record<string, unknown>
  return Object.entries(subject).every(
    ([name, version]) => name in stated && canonicalJson(stated[name]) === canonicalJson(version),
  )
}

/** Without the note of a move, its only free text. Its digest still names what was asked for. */
export const withoutNote = (statement: string): string => {
  const { body, ...rest } = JSON.parse(statement) as ApprovalStatement
  return 'note' in body ? canonicalJson({ ...rest, body: { ...body, note: null } }) : statement
}
