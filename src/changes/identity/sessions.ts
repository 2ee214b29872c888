/**
 * Sessions: signing in, switching organizations and signing out (contract 3).
 *
 * Invariants: neither the bytes nor the timing of a response distinguish a wrong password from an
 * unknown user; a link works once; a token appears only in its response; a session ends at most 12
 * hours after its user authenticated, however often it was switched; nobody signs in to a suspended
 * organization.
 */
import { randomBytes } from 'node:crypto'
import { errors, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { turns } from '../../contract/work-classes.ts'
import { type Mode, mintSessionToken, sessionRandomBytes } from '../../core/identity/credentials.ts'
import { encodeId } from '../../core/ids.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { FairQueue, type Requester } from '../../database/fair-queue.ts'
import type { Database } from '../../database/pool.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import * as store from '../../store/identity/sessions.ts'
import { consumeSignInLink, insertSignInLink } from '../../store/identity/sign-in-links.ts'
import {
  type Membership,
  type UserRow,
  lockMemberships,
  membershipOf,
  membershipsOf,
  setLastUsed,
  userByEmail,
} from '../../store/identity/users.ts'
import { type SignInAttempt, checkSignInFailures, recordSignInFailure } from './sign-in-failures.ts'

export interface SignedIn {
  session: OpenedSession
  membership: Membership
}

export interface PasswordCredentials extends SignInAttempt {
  password: string
  /** Whose turn it is: strangers take turns by their networks. */
  requester: Requester
  /** Undefined lets `chooseMembership` pick one. */
  organization: string | undefined
}

/** A network hashes one password at a time, and so never takes the places of others. */
const passwordTurns = new FairQueue(turns.passwords)

export const signInByPassword = async (
  { read, write }: Pick<Database, 'read'> & { write: Database['transaction'] },
  { password, requester, organization, ...attempt }: PasswordCredentials,
): Promise<SignedIn> => {
  const user = await userByPassword(read, { password, requester, ...attempt })
  return write((tx) => signIn(tx, user.id, organization))
}

/** Refuses a wrong password and an unknown user alike, after the same time. */
export const userByPassword = async (
  read: Queryable,
  { password, requester, ...attempt }: Omit<PasswordCredentials, 'organization'>,
): Promise<UserRow> => {
  checkSignInFailures(attempt)
  return passwordTurns.run(requester, async () => {
    // Again, since others of the network may have failed while this one waited.
    checkSignInFailures(attempt)
    const found = await userByEmail(read, attempt.email)
    const isCorrect = await verifyPassword(password, found?.password_hash ?? null)
    if (found !== undefined && isCorrect) return found
    recordSignInFailure(attempt)
    throw refuse('unauthorized', 'The e-mail or the password is wrong.', undefined, challenge)
  })
}

/** A hash takes a turn, as a check does. */
export const hashInTurn = (requester: Requester, password: string): Promise<string> =>
  passwordTurns.run(requester, () => hashPassword(password))

/** Runs in the transaction of the session, so a refusal leaves the link unused. */
export const signInByLink = async (
  tx: Queryable,
  link: string,
  organization: string | undefined,
): Promise<SignedIn> => {
  const user = linkPattern.test(link)
    ? await consumeSignInLink(tx, tx.seals.credentialMacs(link))
    : undefined
  if (user === undefined) {
    const message = 'The link is unknown, used or expired: it works once. Ask for a new one.'
    throw refuse('unauthorized', message, undefined, challenge)
  }
  return signIn(tx, user, organization)
}

/** Opens a session for an authenticated user. */
export const signIn = async (
  tx: Queryable,
  user: string,
  organization: string | undefined,
): Promise<SignedIn> => {
  const membership = chooseMembership(await membershipsOf(tx, user), organization)

  // From here the change must succeed.
  return { session: await openMemberSession(tx, membership), membership }
}

export interface NewSession {
  user: string
  organization: string
  mode: Mode
  /** Undefined means a whole lifetime from now. */
  expiresAt?: string
}

export interface OpenedSession {
  id: string
  /** The secret, shown once. */
  token: string
  expires_at: string
}

export const openSession = async (
  tx: Queryable,
  { user, organization, mode, expiresAt }: NewSession,
): Promise<OpenedSession> => {
  // Locked, so that the session has the version of its member when it is committed.
  await lockMemberships(tx, user, [organization])
  const { session_version } = (await membershipOf(tx, user, organization))!
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const token = mintSessionToken(mode, randomBytes(sessionRandomBytes))
  const expires_at = expiresAt ?? new Date(Date.parse(now) + limits.sessionLifetimeMs).toISOString()
  await store.insertSession(tx, {
    id,
    user_id: user,
    organization_id: organization,
    mode,
    hash: tx.seals.credentialMac(token),
    created_at: now,
    expires_at,
    revoked_at: null,
    session_version,
  })
  await setLastUsed(tx, { user, organization }, now)
  return { id, token, expires_at }
}

const openMemberSession = (tx: Queryable, membership: Membership, expiresAt?: string) =>
  openSession(tx, {
    user: membership.user_id,
    organization: membership.organization_id,
    mode: membership.mode,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  })

/** Replaces a session by one for another organization of its user, with the same expiry. */
export const switchSession = async (
  tx: Queryable,
  session: { id: string; user: string },
  organization: string,
): Promise<SignedIn> => {
  const membership = chooseMembership(await membershipsOf(tx, session.user), organization)
  const old = await store.sessionById(tx, session.id)
  // It may have ended since the caller was authenticated, for example by a concurrent switch.
  if (old === undefined || !(await endOpenSession(tx, old, [organization]))) {
    throw refuse('unauthorized', errors.unauthorized.fix, undefined, challenge)
  }

  // From here the change must succeed.
  return { session: await openMemberSession(tx, membership, old.expires_at), membership }
}

/** Immediate and safe to repeat; returns the ended session. */
export const endSession = async (tx: Queryable, id: string): Promise<store.SessionRow> => {
  await endOpenSession(tx, (await store.sessionById(tx, id))!, [])
  return (await store.sessionById(tx, id))!
}

/** Returns whether it had not ended before; locks the user's other memberships that are named. */
const endOpenSession = async (
  tx: Queryable,
  session: store.SessionRow,
  organizations: readonly string[],
): Promise<boolean> => {
  const { user_id: user, organization_id: own } = session
  await lockMemberships(tx, user, [own, ...organizations])
  return store.setSessionRevoked(tx, session, await databaseNow(tx))
}

/** Creates a link for one sign-in; its token appears only in the response. */
export const createSignInLink = async (
  tx: Queryable,
  user: string,
): Promise<{ token: string; expires_at: string }> => {
  const now = await databaseNow(tx)
  const token = `sl_${randomBytes(linkRandomBytes).toString('base64url')}`
  const expires_at = new Date(Date.parse(now) + limits.signInLinkLifetimeMs).toISOString()
  const hash = tx.seals.credentialMac(token)
  await insertSignInLink(tx, { hash, user_id: user, expires_at })
  return { token, expires_at }
}

const linkRandomBytes = 24
const linkPattern = /^sl_[0-9A-Za-z_-]{32}$/
const challenge = { headers: { 'WWW-Authenticate': 'Bearer' } }

/** The requested membership; else the last used one, a sandbox, or the oldest (contract 11). */
export const chooseMembership = (
  memberships: readonly Membership[],
  organization: string | undefined,
): Membership => {
  const named = memberships.filter((one) => one.organization_id === organization)
  if (organization !== undefined && named.length === 0) {
    const id = encodeId('org', organization)
    const message = `There is no organization ${id} for this user.`
    throw refuse('not_found', message, { resource: 'organization', id })
  }
  const eligible = organization === undefined ? memberships : named
  const open = eligible.filter((one) => !one.is_suspended)
  const chosen = lastUsed(open) ?? open.find((one) => one.mode === 'test') ?? open[0]
  if (chosen !== undefined) return chosen
  const reason = eligible.length === 0 ? 'no_organization' : 'organization_suspended'
  throw refuse('capability_unavailable', noMembershipMessages[reason], {
    capability: 'sign_in',
    reason,
  })
}

const lastUsed = (memberships: readonly Membership[]): Membership | undefined =>
  memberships
    .filter(({ last_used_at: at }) => at !== null)
    .reduce<Membership | undefined>(
      (last, one) => (last !== undefined && last.last_used_at! >= one.last_used_at! ? last : one),
      undefined,
    )

const noMembershipMessages = {
  no_organization: 'This user acts for no organization. Ask an operator to add one.',
  organization_suspended: 'The organization is suspended. Ask the operator of the service why.',
}
