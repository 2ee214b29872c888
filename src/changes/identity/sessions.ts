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
import { parseAddress } from '../../core/identity/ip-addresses.ts'
import {
  type Mode,
  hashCredential,
  mintSessionToken,
  sessionRandomBytes,
} from '../../core/identity/credentials.ts'
import { encodeId } from '../../core/ids.ts'
import { verifyPassword } from './passwords.ts'
import type { Database } from '../../database/pool.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import * as store from '../../store/identity/sessions.ts'
import { consumeSignInLink, insertSignInLink } from '../../store/identity/sign-in-links.ts'
import { type Membership, membershipsOf, userByEmail } from '../../store/identity/users.ts'
import { normalizeEmail } from './users.ts'

export interface SignedIn {
  session: OpenedSession
  membership: Membership
}

export interface PasswordCredentials {
  email: string
  password: string
  address: string
  /** Undefined lets `chooseMembership` pick one. */
  organization: string | undefined
}

export const signInByPassword = async (
  { read, write }: Pick<Database, 'read'> & { write: Database['transaction'] },
  { email, password, address, organization }: PasswordCredentials,
): Promise<SignedIn> => {
  const throttleKey = `${networkOf(address)} ${normalizeEmail(email)}`
  throttleSignIn(throttleKey)
  const user = await userByEmail(read, normalizeEmail(email))
  const isCorrect = await verifyPassword(password, user?.password_hash ?? null)
  // Checked again, so concurrent guesses learn no more than sequential ones.
  throttleSignIn(throttleKey)
  if (user === undefined || !isCorrect) {
    recordFailure(throttleKey)
    throw refuse('unauthorized', 'The e-mail or the password is wrong.', undefined, challenge)
  }
  return write((tx) => signIn(tx, user.id, organization))
}

/** Runs in the transaction of the session, so a refusal leaves the link unused. */
export const signInByLink = async (
  tx: Queryable,
  link: string,
  organization: string | undefined,
): Promise<SignedIn> => {
  const user = linkPattern.test(link)
    ? await consumeSignInLink(tx, hashCredential(link))
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
  const now = await databaseNow(tx)
  const id = newId(Date.parse(now))
  const { token, hash } = mintSessionToken(mode, randomBytes(sessionRandomBytes))
  const expires_at = expiresAt ?? new Date(Date.parse(now) + limits.sessionLifetimeMs).toISOString()
  await store.insertSession(tx, {
    id,
    user_id: user,
    organization_id: organization,
    mode,
    hash,
    created_at: now,
    expires_at,
    revoked_at: null,
  })
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
  if (old === undefined || (await store.setSessionRevoked(tx, old.id)) === 0) {
    throw refuse('unauthorized', errors.unauthorized.fix, undefined, challenge)
  }

  // From here the change must succeed.
  return { session: await openMemberSession(tx, membership, old.expires_at), membership }
}

/** Immediate and safe to repeat; returns the ended session. */
export const endSession = async (tx: Queryable, id: string): Promise<store.SessionRow> => {
  await store.setSessionRevoked(tx, id)
  return (await store.sessionById(tx, id))!
}

/** Creates a link for one sign-in; its token appears only in the response. */
export const createSignInLink = async (
  tx: Queryable,
  user: string,
): Promise<{ token: string; expires_at: string }> => {
  const now = await databaseNow(tx)
  const token = `sl_${randomBytes(linkRandomBytes).toString('base64url')}`
  const expires_at = new Date(Date.parse(now) + limits.signInLinkLifetimeMs).toISOString()
  await insertSignInLink(tx, { hash: hashCredential(token), user_id: user, expires_at })
  return { token, expires_at }
}

const linkRandomBytes = 24
const linkPattern = /^sl_[0-9A-Za-z_-]{32}$/
const challenge = { headers: { 'WWW-Authenticate': 'Bearer' } }

/** The requested membership; otherwise the only one, the oldest live one, or the oldest. */
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
  const chosen = open.find((one) => one.mode === 'live') ?? open[0]
  if (chosen !== undefined) return chosen
  const reason = eligible.length === 0 ? 'no_organization' : 'organization_suspended'
  throw refuse('capability_unavailable', noMembershipMessages[reason], {
    capability: 'sign_in',
    reason,
  })
}

const noMembershipMessages = {
  no_organization: 'This user acts for no organization. Ask an operator to add one.',
  organization_suspended: 'The organization is suspended. Ask the operator of the service why.',
}

/**
 * Failed sign-ins per address and e-mail, in this process's memory: each process of a deployment
 * admits as many again. The oldest entry is dropped when there are too many.
 */
const signInFailures = new Map<string, { endsAt: number; count: number }>()
const { signInFailuresTrackedMax, signInFailureWindowMs: failureWindowMs } = limits

/** The holder of one IPv6 address has all 2^64 of its network. */
const networkOf = (address: string): string => {
  const bytes = parseAddress(address)
  return bytes?.length === 16 ? Buffer.from(bytes.subarray(0, 8)).toString('hex') : address
}

const recordFailure = (throttleKey: string): void => {
  const now = performance.now()
  const failures = signInFailures.get(throttleKey)
  if (failures !== undefined && failures.endsAt > now) {
    failures.count += 1
    return
  }
  signInFailures.delete(throttleKey)
  const oldest = signInFailures.keys().next()
  if (signInFailures.size >= signInFailuresTrackedMax && !oldest.done)
    signInFailures.delete(oldest.value)
  signInFailures.set(throttleKey, { endsAt: now + failureWindowMs, count: 1 })
}

const throttleSignIn = (throttleKey: string): void => {
  const failures = signInFailures.get(throttleKey)
  const leftMs = (failures?.endsAt ?? 0) - performance.now()
  const limit = limits.signInFailuresPerMinute
  if (failures === undefined || leftMs <= 0 || failures.count < limit) return
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  throw refuse(
    'rate_limited',
    `${limit} sign-ins with this e-mail have failed. Try again in ${seconds} s.`,
    {
      policy: 'sign_in',
      limit,
      window_seconds: failureWindowMs / 1000,
      retry_after_seconds: seconds,
    },
    { retryAfterSeconds: seconds },
  )
}
