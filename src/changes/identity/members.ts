/**
 * Changes of members (contract 12). Only owners change owners, and one owner always stays. Under
 * the lock of the organization, so that two owners who demote each other leave one.
 */
import { refuse } from '../../contract/errors.ts'
import { type Role, mayGiveRole } from '../../contract/roles.ts'
import { encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import { countWithdrawal } from '../../store/identity/access-versions.ts'
import { lockKeysWithAccess } from '../../store/identity/keys.ts'
import { revokeInvitationsTo } from '../../store/identity/member-invitations.ts'
import {
  type MemberRow,
  deleteMembership,
  hasOtherOwner,
  memberById,
} from '../../store/identity/members.ts'
import { addToRowCounts } from '../../store/identity/row-counts.ts'
import { membershipOf, setRole } from '../../store/identity/users.ts'
import { keepSignIns } from './browser-sign-ins.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'

export interface MemberChange {
  organization: string
  /** The user who changes the member. */
  by: string
  /** The user who is a member. */
  user: string
}

/** Takes effect on the next request of every session of the member. */
export const changeMemberRole = async (
  tx: Queryable,
  change: MemberChange,
  role: Role,
): Promise<MemberRow> => {
  const { organization, user } = change
  const member = await lockedMember(tx, change, role)
  if (member.role === role) return member

  // From here the change must succeed.
  await changeRole(tx, { user, organization, role })
  return (await memberById(tx, organization, user))!
}

/** The caller has locked the organization. */
export const changeRole = async (
  tx: Queryable,
  { user, organization, role }: { user: string; organization: string; role: Role },
): Promise<void> => {
  await setRole(tx, user, organization, role)
  await countWithdrawal(tx, organization)
}

/**
 * Ends all sessions of the member for the organization, and the invitations by which their address
 * could become a member again; returns the last record.
 */
export const removeMember = async (tx: Queryable, change: MemberChange): Promise<MemberRow> => {
  const { organization, user } = change
  const member = await lockedMember(tx, change, undefined)

  // From here the change must succeed.
  await keepSignIns(tx, user, organization)
  await deleteMembership(tx, organization, user)
  await revokeInvitationsTo(tx, { organization, email: member.email }, await databaseNow(tx))
  await countWithdrawal(tx, organization)
  await addToRowCounts(tx, organization, { memberships: -1 })
  return member
}

/** The member, once it is sure that this user may change it so; undefined removes it. */
const lockedMember = async (
  tx: Queryable,
  { organization, by, user }: MemberChange,
  role: Role | undefined,
): Promise<MemberRow> => {
  await lockKeysWithAccess(tx, organization)
  await checkMayGrant(tx, { organization, by }, role)
  const member = await memberById(tx, organization, user)
  if (member === undefined)
    throw await notFoundOrIsolated(tx, organization, 'usr', encodeId('usr', user))
  if (member.role !== 'owner' || role === 'owner') return member
  await checkMayGrant(tx, { organization, by }, 'owner')
  await checkOwnerStays(tx, organization, user)
  return member
}

/** Refuses to take its last owner from an organization, which the caller has locked. */
export const checkOwnerStays = async (
  tx: Queryable,
  organization: string,
  owner: string,
): Promise<void> => {
  if (await hasOtherOwner(tx, organization, owner)) return
  throw refuse('conflict', 'This is the last owner: make another member an owner first.', {
    reason: 'last_owner',
  })
}

/** Refuses unless the user may now give this role. The caller has locked the organization. */
export const checkMayGrant = async (
  tx: Queryable,
  { organization, by }: Pick<MemberChange, 'organization' | 'by'>,
  role: Role | undefined,
): Promise<void> => {
  const own = (await membershipOf(tx, by, organization))?.role as Role | undefined
  if (mayGiveRole(own, role)) return
  const isOwners = role === 'owner'
  const needed = isOwners ? 'owner_session' : 'admin_session'
  const message = isOwners
    ? 'Only an owner of the organization makes, changes or removes owners.'
    : 'Only an owner or an admin of the organization changes its members.'
  throw refuse('insufficient_scope', message, { required_scopes: [needed], key_scopes: [] })
}
