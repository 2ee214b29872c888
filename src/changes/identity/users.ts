/**
 * Creates users and their memberships, for provisioning and operators. Invariant: e-mails are
 * stored, and looked up, in lower case and in the composed form of Unicode (NFC).
 */
import assert from 'node:assert/strict'
import { type Refusal, refuse } from '../../contract/errors.ts'
import type { Role } from '../../contract/roles.ts'
import { limits } from '../../contract/limits.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { organizationForUpdate } from '../../store/identity/access-versions.ts'
import { lockKeysWithAccess } from '../../store/identity/keys.ts'
import { addToRowCounts } from '../../store/identity/row-counts.ts'
import * as store from '../../store/identity/users.ts'
import { giveToOwner } from './account-owner.ts'
import { changeRole, checkOwnerStays } from './members.ts'

/**
 * Returns the id of the new user, who can use only one-time links without a password hash. The
 * operator vouches for the e-mail address; an invitation does not.
 */
export const createUser = async (
  tx: Queryable,
  user: { email: string; name: string; passwordHash: string | null; isEmailVerified?: boolean },
): Promise<string> => {
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  await store.insertUser(tx, {
    id,
    email: normalizeEmail(user.email),
    name: user.name,
    password_hash: user.passwordHash,
    created_at: now,
    email_verified_at: user.isEmailVerified === false ? null : now,
    version: 0n,
    second_factor_since: null,
  })
  return id
}

export const addMembership = async (
  tx: Queryable,
  { user, organization, role }: { user: string; organization: string; role: Role },
): Promise<void> => {
  // Locked, so that the member has the version of the organization when it is committed.
  const { access_version } = (await organizationForUpdate(tx, organization))!
  const { version: user_version } = (await store.userForShare(tx, user))!
  const now = await databaseNow(tx)
  await store.insertMembership(tx, {
    user_id: user,
    organization_id: organization,
    role,
    created_at: now,
    access_version,
    user_version,
    session_version: 0n,
    last_used_at: null,
  })
  await addToRowCounts(tx, organization, { memberships: 1 })
}

export interface MembershipGrant {
  email: string
  /** Required only for a new user. */
  name: string | undefined
  organization: string
  role: Role
  /** Null keeps the user's password. */
  passwordHash: string | null
}

/** Creates or updates a membership, and its user if needed. */
export const grantMembership = async (
  tx: Queryable,
  { email, name, organization, role, passwordHash }: MembershipGrant,
): Promise<{ user: store.UserRow; isNew: boolean; roleBefore: Role | undefined }> => {
  if (!/^[^\s@]+@[^\s@]+$/.test(normalizeEmail(email)) || email.length > limits.emailMaxLength) {
    throw refuse('conflict', `${email} is not an e-mail address.`)
  }
  const existing = await store.userByEmail(tx, normalizeEmail(email))
  if (existing === undefined && name === undefined) {
    throw refuse('conflict', `${email} is not known yet: a new user needs a name.`)
  }
  const isUnverified = existing?.email_verified_at === null
  if (isUnverified && passwordHash === null) throw ownerUnknown(email)
  const memberships = existing === undefined ? [] : await store.membershipsOf(tx, existing.id)
  const roleBefore = memberships.find((one) => one.organization_id === organization)?.role
  if (existing !== undefined && roleBefore !== undefined)
    await lockForRole(tx, { user: existing.id, organization, role })

  // From here the change must succeed.
  if (existing === undefined) await createUser(tx, { email, name: name ?? '', passwordHash })
  const user = await store.userByEmail(tx, normalizeEmail(email))
  assert(user, 'a user who was just created can be read')
  if (roleBefore === undefined) await addMembership(tx, { user: user.id, organization, role })
  else await changeRole(tx, { user: user.id, organization, role })
  // Last, since organizations are locked before memberships.
  if (existing !== undefined && passwordHash !== null) {
    if (isUnverified) await giveToOwner(tx, existing, passwordHash)
    else await store.setPasswordHash(tx, existing.id, passwordHash)
  }
  return { user, isNew: existing === undefined, roleBefore }
}

const ownerUnknown = (email: string): Refusal =>
  refuse(
    'conflict',
    `${email} has an account that somebody opened with an invitation, and nobody has verified that the address is theirs. Set a new password, which ends their sessions and removes their other ways to sign in.`,
  )

/** Locks the organization, since another owner may stop being one at the same moment. */
const lockForRole = async (
  tx: Queryable,
  { user, organization, role }: { user: string; organization: string; role: Role },
): Promise<void> => {
  await lockKeysWithAccess(tx, organization)
  const before = await store.membershipOf(tx, user, organization)
  if (before?.role === 'owner' && role !== 'owner') await checkOwnerStays(tx, organization, user)
}
