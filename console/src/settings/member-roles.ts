/** The roles that one can give, and why one cannot change a member. */
import { roleNames } from '../../../src/contract/role-names.ts'
import type { Member, MemberRole } from '../api/types.ts'
import { wordsOf } from '../design/format.tsx'
import type { Options } from '../design/select.tsx'

const offeredRoles: readonly MemberRole[] = roleNames.filter((role) => role !== 'member')

/** `member` stays with whoever has it; only owners make owners. */
export const roleOptionsFor = (giver: MemberRole, current?: MemberRole): Options => {
  const offered = offeredRoles.filter((role) => giver === 'owner' || role !== 'owner')
  const all = current === undefined || offered.includes(current) ? offered : [...offered, current]
  return all.map((role) => [role, wordsOf(role)] as const)
}

export interface Changer {
  role: MemberRole
  /** Undefined while it is not known: the service decides. */
  ownerCount: number | undefined
}

/** Why a member can neither get another role nor go; undefined when both are possible. */
export const changeRefusal = (
  { role }: Pick<Member, 'role'>,
  { role: own, ownerCount }: Changer,
): string | undefined => {
  if (role !== 'owner') return undefined
  if (own !== 'owner') return 'Only an owner changes or removes an owner.'
  return ownerCount === 1
    ? 'This is the last owner: make another member an owner first.'
    : undefined
}
