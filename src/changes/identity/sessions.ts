/**
 * Sessions: signing in, changing the organization one acts for, and signing out (contract 3).
 *
 * Invariants: a wrong password and an unknown user are told apart neither by bytes nor by time; a
 * link lets in once; a token is in the answer and nowhere else; a session ends at most 12 hours
 * after its user proved who it is, however often it was switched; a suspended organization lets
 * nobody in.
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
import { databaseNow } from '../../store/sandbox/clocks.ts'
import {
  type SessionRow,
  insertSignInLink,
  insertSession,
  sessionById,
  setSessionRevoked,
  consumeSignInLink,
} from '../../store/identity/sessions.ts'
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
  /** Absent: the one that `chosenMembership` chooses. */
  organization: string | undefined
}

export const signInByPassword = async (
  { read, write }: Pick<Database, 'read'> & { write: Database['transaction'] },
  { email, password, address, organization }: PasswordCredentials,
): Promise<SignedIn> => {
  const throttleKey = `${networkOf(address)} ${normalizeEmail(email)}`
  throttleSignIn(throttleKey)
  const user = await userByEmail(read, normalizeEmail(email))
  const isRight = await verifyPassword(password, user?.password_hash ?? null)
  // Again: guesses that were sent at once learn no more than guesses sent one after another.
  throttleSignIn(throttleKey)
  if (user === undefined || !isRight) {
    recordFailure(throttleKey)
    throw refuse('unauthorized', 'The e-mail or the password is wrong.', undefined, challenge)
  }
  return write((tx) => signIn(tx, user.id, organization))
}

/** In the transaction of the session, so that a refusal leaves the link unused. */
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

/** A session for a user who has proved who it is. */
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
  /** Absent: a whole lifetime from now. */
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
  await insertSession(tx, {
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

/** A session for another organization of the same user takes the place of this one, and its end. */
export const switchSession = async (
  tx: Queryable,
  session: { id: string; user: string },
  organization: string,
): Promise<SignedIn> => {
  const membership = chooseMembership(await membershipsOf(tx, session.user), organization)
  const old = await sessionById(tx, session.id)
  // It may have ended since the caller was authenticated, by a switch at the same moment for one.
  if (old === undefined || (await setSessionRevoked(tx, old.id)) === 0) {
    throw refuse('unauthorized', errors.unauthorized.fix, undefined, challenge)
  }

  // From here the change must succeed.
  return { session: await openMemberSession(tx, membership, old.expires_at), membership }
}

/** Immediate; again is safe. Answers what the session was. */
export const endSession = async (tx: Queryable, id: string): Promise<SessionRow> => {
  await setSessionRevoked(tx, id)
  return (await sessionById(tx, id))!
}

/** A link by which the user can sign in once; the token is in the answer and nowhere else. */
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

/** The one that is named; else the only one, the oldest live one, the oldest. */
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
 * Failed sign-ins per address and e-mail, in the memory of this process: another process of the
 * deployment admits as many again. The oldest are forgotten first when there are very many.
 */
const signInFailures = new Map<string, { endsAt: number; count: number }>()
const { signInFailuresTrackedMax, signInFailureWindowMs: failureWindowMs } = limits

/** Whoever has one IPv6 address has the 2^64 of its network. */
const networkOf = (address: string): string => {
  const bytes = parseAddress(address)
  return bytes?.length === 16 ? Buffer.from(bytes.subarray(0, 8)).toString('hex') : address
}

const recordFailure = (throttleKey: string): void => {
  const now = performance.now()
  const known = signInFailures.get(throttleKey)
  if (known !== undefined && known.endsAt > now) {
    known.count += 1
    return
  }
  signInFailures.delete(throttleKey)
  const oldest = signInFailures.keys().next()
  if (signInFailures.size >= signInFailuresTrackedMax && !oldest.done)
    signInFailures.delete(oldest.value)
  signInFailures.set(throttleKey, { endsAt: now + failureWindowMs, count: 1 })
}

const throttleSignIn = (throttleKey: string): void => {
  const known = signInFailures.get(throttleKey)
  const leftMs = (known?.endsAt ?? 0) - performance.now()
  const limit = limits.signInFailuresPerMinute
  if (known === undefined || leftMs <= 0 || known.count < limit) return
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
