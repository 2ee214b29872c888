/**
 * Invitations of people to be members (contract 12). The token is shown once, to whoever invites,
 * and works once. Whoever accepts shows who they are by their password, or chooses one as a new
 * user; the address of a new user is not verified by that.
 */
import { randomBytes } from 'node:crypto'
import { type Refusal, inProgress, refuse, unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { type Role, mayGiveRole } from '../../contract/roles.ts'
import type { MemberInvitation } from '../../contract/shapes/member-invitations.ts'
import { dayMs, later } from '../../core/dates.ts'
import { encodeId } from '../../core/ids.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import { type Queryable, databaseError } from '../../database/sql.ts'
import { appendAuditEntry } from '../../store/identity/audit-entries.ts'
import { countWithdrawal, organizationForUpdate } from '../../store/identity/access-versions.ts'
import { lockKeysWithAccess } from '../../store/identity/keys.ts'
import * as store from '../../store/identity/member-invitations.ts'
import { membershipOf, userByEmail } from '../../store/identity/users.ts'
import { checkMayGrant } from './members.ts'
import { notFoundOrIsolated } from './sandbox-isolation.ts'
import { type SignInChoice, type SignedIn, signIn } from './sessions.ts'
import { addMembership, createUser } from './users.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'

const tokenBytes = 24
const tokenPattern = /^mi_[0-9A-Za-z_-]{32}$/

export interface NewInvitation {
  organization: string
  /** The user who invites. */
  by: string
  /** Normalized. */
  email: string
  role: Role
}

/** One that was made by somebody who may no longer give its role is as good as revoked. */
export const statusOfInvitation = (row: store.InvitationWithNow): MemberInvitation['status'] => {
  if (row.accepted_by !== null) return 'accepted'
  if (row.ended_at !== null) return 'revoked'
  if (row.expires_at <= row.now) return 'expired'
  return mayGiveRole(row.inviter_role as Role | undefined, row.role as Role) ? 'pending' : 'revoked'
}

/** Replaces an open invitation of the same person, if this user might also revoke it. */
export const inviteMember = async (
  tx: Queryable,
  { organization, by, email, role }: NewInvitation,
): Promise<{ invitation: store.InvitationWithNow; token: string }> => {
  await lockKeysWithAccess(tx, organization)
  await checkMayGrant(tx, { organization, by }, role)
  const user = await userByEmail(tx, email)
  if (user !== undefined && (await membershipOf(tx, user.id, organization)) !== undefined) {
    const message = `${email} is a member of the organization: change the role instead.`
    throw refuse('conflict', message, { reason: 'already_member' })
  }
  const open = await store.openInvitationsOf(tx, organization)
  const former = open.find((one) => normalizeEmail(one.email) === email)
  const pending = open.filter((one) => statusOfInvitation(one) === 'pending')
  if (former !== undefined && pending.includes(former)) {
    await checkMayGrant(tx, { organization, by }, former.role as Role)
  } else if (pending.length >= limits.openInvitationsMax) {
    const message = `The organization has ${pending.length} open invitations: revoke some first.`
    throw refuse('conflict', message, { reason: 'too_many_invitations' })
  }

  // From here the change must succeed.
  const now = await databaseNow(tx)
  if (former !== undefined) await end(tx, former, { at: now, acceptedBy: null })
  const { access_version } = (await organizationForUpdate(tx, organization))!
  const token = `mi_${randomBytes(tokenBytes).toString('base64url')}`
  const id = newId(Date.parse(now))
  await store.insertInvitation(tx, {
    id,
    organization_id: organization,
    email,
    role,
    invited_by: by,
    access_version,
    hash: tx.seals.credentialMac(token),
    created_at: now,
    expires_at: later(now, limits.invitationLifetimeDays * dayMs),
    ended_at: null,
    accepted_by: null,
  })
  return { invitation: (await store.invitationById(tx, organization, id))!, token }
}

const end = async (
  tx: Queryable,
  { id, organization_id }: store.InvitationRow,
  ending: { at: string; acceptedBy: string | null },
): Promise<void> => {
  await store.endInvitation(tx, id, ending)
  await countWithdrawal(tx, organization_id)
}

/** Immediate; safe to repeat, with the same result. */
export const revokeInvitation = async (
  tx: Queryable,
  { organization, by, id }: { organization: string; by: string; id: string },
): Promise<store.InvitationWithNow> => {
  await lockKeysWithAccess(tx, organization)
  const invitation = await store.invitationById(tx, organization, id)
  if (invitation === undefined)
    throw await notFoundOrIsolated(tx, organization, 'inv', encodeId('inv', id))
  await checkMayGrant(tx, { organization, by }, invitation.role as Role)
  if (invitation.ended_at !== null) return invitation
  await end(tx, invitation, { at: await databaseNow(tx), acceptedBy: null })
  return (await store.invitationById(tx, organization, id))!
}

/** Refuses a token that is unknown, or whose invitation has ended or expired, in the same words. */
export const pendingInvitation = async (
  db: Queryable,
  token: string,
): Promise<store.InvitationWithNow> => {
  const found = tokenPattern.test(token)
    ? await store.invitationByHash(db, db.seals.credentialMacs(token))
    : undefined
  if (found !== undefined && statusOfInvitation(found) === 'pending') return found
  const message = 'The invitation is unknown, used, revoked or expired. Ask for a new one.'
  throw unauthorized(message)
}

/** Somebody has accepted an invitation of another organization with this address meanwhile. */
const becameUser = (): Refusal =>
  inProgress(
    'The person has become a user in the meantime. Accept again with the password of that user.',
  )

const newUser = async (
  tx: Queryable,
  user: { email: string; name: string; passwordHash: string },
): Promise<string> => {
  try {
    return await createUser(tx, { ...user, isEmailVerified: false })
  } catch (error) {
    throw databaseError(error)?.code === uniqueViolation ? becameUser() : error
  }
}

const uniqueViolation = '23505'

/** Makes the person a member and signs them in; a new user has a name and a password. */
export const acceptInvitation = async (
  tx: Queryable,
  token: string,
  who: { id: string } | { name: string; passwordHash: string },
  entry: Omit<SignInChoice, 'organization'> & { requestId: string },
): Promise<SignedIn> => {
  const { organization_id: organization } = await pendingInvitation(tx, token)
  await lockKeysWithAccess(tx, organization)
  // A later statement than the lock: somebody else may have accepted or revoked it.
  const invitation = await pendingInvitation(tx, token)
  const existing = await userByEmail(tx, normalizeEmail(invitation.email))
  const isSame = 'id' in who ? existing?.id === who.id : existing === undefined
  if (!isSame) throw becameUser()

  // From here the change must succeed.
  const user = 'id' in who ? who.id : await newUser(tx, { ...who, email: invitation.email })
  const role = invitation.role as Role
  const isMember = (await membershipOf(tx, user, organization)) !== undefined
  if (!isMember) await addMembership(tx, { user, organization, role })
  await end(tx, invitation, { at: await databaseNow(tx), acceptedBy: user })
  const signedIn = await signIn(tx, user, { ...entry, organization })
  const acceptance = {
    organization_id: organization,
    user_id: user,
    request_id: entry.requestId,
    operation: 'invitation.accept',
    path: '/auth/invitations/accept',
    address: entry.origin?.address ?? '',
    resource_id: encodeId('inv', invitation.id),
  }
  // Not the time of the end above: the entry of the sign-in, which comes before this one, is later.
  await appendAuditEntry(tx, acceptance)
  return signedIn
}
