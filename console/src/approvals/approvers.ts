/** Who may approve something, as far as the reader may know, and how many have done so. */
import { approvingRoles, mayApprove } from '../../../src/contract/roles.ts'
import { isAdmin } from '../api/permissions.ts'
import { useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Approval, Member, Page } from '../api/types.ts'

type Members = readonly Member[]
type Requirement = Pick<Approval['requirements'][number], 'approvers' | 'roles' | 'user_ids'>

export const approversQuery = { role: approvingRoles.join(','), limit: 100 }

/** Who may approve; undefined for whoever may not read that, and if they are more than a page. */
export const useMembers = (): Members | undefined => {
  const isReadable = isAdmin(useSession())
  const { data } = useRead<Page<Member>>('/v1/members', approversQuery, {
    isEnabled: isReadable,
    refetchEveryMs: false,
  })
  return data?.has_more === false ? data.data : undefined
}

export const countsFor = (
  { roles, user_ids }: Requirement,
  { user_id, role }: Pick<Member, 'user_id' | 'role'>,
): boolean =>
  mayApprove(role) && (roles?.includes(role) ?? true) && (user_ids?.includes(user_id) ?? true)

/** Why nobody can get it approved, or not everybody can ask for it; undefined if neither is so. */
export const shortageText = (approvers: number, eligible: number): string | undefined => {
  if (eligible > approvers) return undefined
  return eligible < approvers
    ? `Only ${eligible} of the ${approvers} needed members ${eligible === 1 ? 'counts' : 'count'} today, so nobody can get it approved.`
    : `Only ${eligible} ${eligible === 1 ? 'member counts' : 'members count'} today, so none of them can ask for it.`
}

export const shortageOfRule = (rule: Requirement, members?: Members): string | undefined =>
  members &&
  shortageText(rule.approvers, members.filter((member) => countsFor(rule, member)).length)

/**
 * Whoever asks does not count. What was asked for keeps the rule of that time. Without the members,
 * only whom a rule names is known.
 */
export const shortageOf = (approval: Approval, members?: Members): string | undefined => {
  if (approval.status !== 'pending') return undefined
  for (const requirement of approval.requirements) {
    const counting =
      members?.filter((member) => countsFor(requirement, member)).map(({ user_id }) => user_id) ??
      requirement.user_ids
    const eligible = counting?.filter((user) => user !== approval.user_id).length ?? Infinity
    const needed = requirement.approvers
    if (eligible < needed)
      return `Only ${eligible} of the ${needed} needed members ${eligible === 1 ? 'counts' : 'count'} today, so it cannot be approved.`
  }
  return undefined
}

/**
 * "1 of 2 approved". Only somebody whom one of the requirements counts can approve: of several, the
 * reader may not know which.
 */
export const approvedText = (
  { status, requirements, decisions }: Pick<Approval, 'status' | 'requirements' | 'decisions'>,
  requirement: Requirement,
  members?: Members,
): string | undefined => {
  const approving = decisions.filter(({ decision }) => decision === 'approve')
  const isKnown = requirements.length === 1 || requirement.roles === null || members !== undefined
  if (!isKnown) return undefined
  // Whoever has lost the right to approve counts no more, until it is decided.
  const isCounted = ({ user_id }: { user_id: string }) =>
    status === 'pending' && members !== undefined
      ? members.some((member) => member.user_id === user_id && countsFor(requirement, member))
      : requirements.length === 1 || isNamed(requirement, user_id, members)
  return `${approving.filter(isCounted).length} of ${requirement.approvers} approved`
}

const isNamed = (
  { roles, user_ids }: Requirement,
  user: string,
  members: Members | undefined,
): boolean => {
  if (user_ids !== null) return user_ids.includes(user)
  if (roles === null) return true
  const role = members?.find(({ user_id }) => user_id === user)?.role
  return role !== undefined && roles.includes(role)
}
