/** Who has to consent to a write, who has done so, and what that comes to. */
import type { ApprovalStatus } from '../../contract/approvals.ts'
import { type Role, mayApprove } from '../../contract/roles.ts'
import type { Rows } from '../../database/rows.ts'
import { uuidFromName } from '../ids.ts'

export type ApprovalRow = Rows['approvals']

/** One name for an organization and an Idempotency-Key, by which a repeated write is found. */
export const requestKeyOf = (organization: string, idempotencyKey: string): string =>
  uuidFromName(`approval ${organization} ${idempotencyKey}`)

/** Frozen when the write is first sent. Each requirement needs approvers of its own. */
export interface Requirement {
  /** The rule that asks for it; null for that of the key. */
  rule: { id: string; name: string } | null
  approvers: number
  /** Null: all roles that may approve. */
  roles: readonly Role[] | null
  user_ids: readonly string[] | null
}

export interface ApprovalDecision {
  user_id: string
  /** When the user decided. */
  role: Role
  decision: 'approve' | 'decline'
  reason: string | null
  at: string
}

/** What a key with `requires_approval` asks for by itself. */
export const ownRequirement: Requirement = { rule: null, approvers: 1, roles: null, user_ids: null }

export const requirementsOf = ({ requirements }: ApprovalRow): readonly Requirement[] =>
  JSON.parse(requirements) as Requirement[]

export const decisionsOf = ({ decisions }: ApprovalRow): readonly ApprovalDecision[] =>
  JSON.parse(decisions) as ApprovalDecision[]

export const withoutReasons = (row: ApprovalRow): string =>
  JSON.stringify(decisionsOf(row).map((decision) => ({ ...decision, reason: null })))

export const approversOf = (row: ApprovalRow): string[] =>
  decisionsOf(row)
    .filter(({ decision }) => decision === 'approve')
    .map(({ user_id }) => user_id)

/** The roles that approvers have now, by user; undefined for who is no member any more. */
export type ApproverRoles = ReadonlyMap<string, Role | undefined>

/** A consent stands while its user may approve, and counts for the role of now. */
const standingConsents = (
  decisions: readonly ApprovalDecision[],
  roles: ApproverRoles,
): readonly ApprovalDecision[] =>
  decisions
    .filter(({ decision }) => decision === 'approve')
    .flatMap((one) => {
      // Whoever has decided since the roles were read had the right to.
      const role = roles.has(one.user_id) ? roles.get(one.user_id) : one.role
      return role !== undefined && mayApprove(role) ? [{ ...one, role }] : []
    })

/** A rule names roles, or users, or neither. */
export const countsFor = (
  { roles, user_ids }: Requirement,
  { user_id, role }: Pick<ApprovalDecision, 'user_id' | 'role'>,
): boolean => (roles?.includes(role) ?? true) && (user_ids?.includes(user_id) ?? true)

/** Why a person does not decide on an approval: the first of these that holds. */
export type WhyNotToDecide = 'asked_for_it' | 'made_the_key' | 'not_named'

/**
 * Four eyes: never who asked, nor who made a key of the rotation chain that asked; and only whom a
 * requirement names. Undefined for who may decide.
 */
export const whyNotToDecide = (
  row: ApprovalRow,
  keyMakers: readonly string[],
  person: Pick<ApprovalDecision, 'user_id' | 'role'>,
): WhyNotToDecide | undefined => {
  if (row.user_id === person.user_id) return 'asked_for_it'
  if (keyMakers.includes(person.user_id)) return 'made_the_key'
  return requirementsOf(row).some((one) => countsFor(one, person)) ? undefined : 'not_named'
}

export const isSatisfied = (
  requirements: readonly Requirement[],
  decisions: readonly ApprovalDecision[],
  roles: ApproverRoles,
): boolean => {
  const consents = standingConsents(decisions, roles)
  return requirements.every(
    (requirement) =>
      consents.filter((one) => countsFor(requirement, one)).length >= requirement.approvers,
  )
}

export const statusOf = ({ status, expires_at }: ApprovalRow, now: string): ApprovalStatus =>
  (status === 'pending' || status === 'approved') && expires_at <= now
    ? 'expired'
    : (status as ApprovalStatus)
