/**
 * Signing in with an identity of a provider (docs/decisions/0122). Who somebody is, the issuer and
 * the subject say, and never the address alone.
 *
 * Invariants: an attempt works once, and in the browser that began it; nobody becomes a user, a
 * member or an owner by it; an identity belongs to one user, and a user has one of each provider;
 * an address connects an account only if both sides have shown that it is the person's; whoever
 * connects one has not signed out meanwhile.
 */
import { randomBytes } from 'node:crypto'
import { limits } from '../../contract/limits.ts'
import {
  type Attempt,
  attemptCookie,
  attemptSecretBytes,
  attemptText,
} from '../../core/identity/oidc-attempts.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { lockUser } from '../../store/identity/access-versions.ts'
import { appendAuditEntry } from '../../store/identity/audit-entries.ts'
import { consumeOidcAttempt, insertOidcAttempt } from '../../store/identity/oidc-attempts.ts'
import { lockUserWithFactor } from '../../store/identity/second-factors.ts'
import { openSessionOf } from '../../store/identity/sessions.ts'
import * as store from '../../store/identity/user-identities.ts'
import {
  type UserRow,
  membershipOf,
  membershipsOf,
  setEmailVerified,
  userByEmail,
} from '../../store/identity/users.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { later } from '../../core/dates.ts'

/** Stores that the attempt may go on; returns its secret, and the cookie of the browser. */
export const beginAttempt = async (
  tx: Queryable,
  attempt: Attempt,
): Promise<{ secret: string; cookie: string }> => {
  const secret = randomBytes(attemptSecretBytes).toString('base64url')
  const expires_at = later(await databaseNow(tx), limits.oidcAttemptLifetimeMs)
  const hash = tx.seals.credentialMac(attemptText(secret, attempt))
  await insertOidcAttempt(tx, { hash, expires_at })
  return { secret, cookie: attemptCookie(secret, attempt) }
}

/** Whether the browser has begun it, and has not come back with it before. */
export const endAttempt = (tx: Queryable, secret: string, attempt: Attempt): Promise<boolean> =>
  consumeOidcAttempt(tx, tx.seals.credentialMacs(attemptText(secret, attempt)))

/** What the provider says of a person. */
export interface ShownIdentity {
  issuer: string
  subject: string
  email: string | undefined
  isEmailVerified: boolean
}

/** Why an identity opens no account. */
export type IdentityProblem =
  | 'email_unverified'
  | 'domain_not_allowed'
  | 'unknown_user'
  | 'account_unverified'
  | 'other_identity'
  | 'other_account'
  | 'provider_wrong'
  | 'not_begun'

/** The user whose identity it is; a first sign-in connects the one with the same address. */
export const userOfIdentity = async (
  tx: Queryable,
  identity: ShownIdentity,
  allowedDomains: readonly string[],
): Promise<{ user: UserRow } | { problem: IdentityProblem }> => {
  const problem = problemOf(identity, allowedDomains)
  if (problem !== undefined) return { problem }
  const known = await store.userByIdentity(tx, identity)
  if (known !== undefined) return { user: known }
  if (identity.email === undefined || !identity.isEmailVerified) {
    return { problem: 'email_unverified' }
  }
  const found = await userByEmail(tx, normalizeEmail(identity.email))
  if (found === undefined || (await membershipsOf(tx, found.id)).length === 0) {
    return { problem: 'unknown_user' }
  }
  // Whoever accepted the invitation may be somebody else than the owner of the address.
  if (found.email_verified_at === null) return { problem: 'account_unverified' }
  return connectIdentity(tx, found.id, identity)
}

const subjectPattern = new RegExp(`^[\\x21-\\x7e]{1,${limits.oidcSubjectMaxLength}}$`)

const problemOf = (
  { subject, email, isEmailVerified }: ShownIdentity,
  allowedDomains: readonly string[],
): IdentityProblem | undefined => {
  if (!subjectPattern.test(subject)) return 'provider_wrong'
  if (allowedDomains.length === 0) return undefined
  if (email === undefined || !isEmailVerified) return 'email_unverified'
  const domain = normalizeEmail(email).split('@').at(-1)!
  return allowedDomains.includes(domain) ? undefined : 'domain_not_allowed'
}

/** The caller has checked that the person is the user. */
const connectIdentity = async (
  tx: Queryable,
  userId: string,
  identity: ShownIdentity,
): Promise<{ user: UserRow } | { problem: IdentityProblem }> => {
  const { issuer, subject, email } = identity
  const { user } = await lockUserWithFactor(tx, userId)
  // Later statements than the lock.
  const owner = await store.userByIdentity(tx, identity)
  if (owner !== undefined) return owner.id === userId ? { user } : { problem: 'other_account' }
  const own = await store.identitiesOf(tx, userId)
  if (own.some((one) => one.issuer === issuer)) return { problem: 'other_identity' }

  // From here the change must succeed.
  const now = await databaseNow(tx)
  await store.insertIdentity(tx, {
    id: newId(Date.parse(now)),
    user_id: userId,
    issuer,
    subject,
    email: email ?? null,
    created_at: now,
    user_version: user.version,
  })
  return { user }
}

export interface ConnectingUser {
  user: string
  signIn: string
  /** For which the user acted when they began. */
  organization: string
  provider: string
  requestId: string
  address: string
}

/** For a signed-in user. An address that the provider has verified is known to be theirs then. */
export const connectOwnIdentity = async (
  tx: Queryable,
  { user: userId, signIn, organization, provider, requestId, address }: ConnectingUser,
  identity: ShownIdentity,
  allowedDomains: readonly string[],
): Promise<{ user: UserRow } | { problem: IdentityProblem }> => {
  const problem = problemOf(identity, allowedDomains)
  if (problem !== undefined) return { problem }
  await lockUser(tx, userId)
  // A later statement than the lock, so that the account was not given to its owner meanwhile.
  const signedIn = await openSessionOf(tx, userId, signIn)
  if (signedIn === undefined) return { problem: 'not_begun' }
  const connected = await connectIdentity(tx, userId, identity)
  if ('problem' in connected) return connected
  const { email, email_verified_at } = connected.user
  const isSameEmail =
    identity.isEmailVerified && normalizeEmail(identity.email ?? '') === normalizeEmail(email)
  if (isSameEmail && email_verified_at === null) await setEmailVerified(tx, userId)
  const isMember = (await membershipOf(tx, userId, organization)) !== undefined
  const entry = {
    organization_id: isMember ? organization : signedIn.organization_id,
    user_id: userId,
    request_id: requestId,
    operation: 'identities.connect',
    path: `/auth/oidc/${provider}/callback`,
    address,
    resource_id: null,
  }
  await appendAuditEntry(tx, entry)
  return connected
}
