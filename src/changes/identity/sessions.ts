/**
 * Sessions: signing in, switching organizations and signing out (contract 3).
 *
 * Invariants: neither the bytes nor the timing of a response distinguish a wrong password from an
 * unknown user; nobody signs in without the second factor that was turned on; a token appears
 * only in its response; a session ends at most 12 hours after its user authenticated, however often
 * it was switched; nobody signs in to a suspended organization.
 */
import { sessionNotActive, unauthorized } from '../../contract/errors.ts'
import { turns } from '../../contract/work-classes.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { FairQueue, type Requester } from '../../database/fair-queue.ts'
import type { Database } from '../../database/pool.ts'
import type { Queryable } from '../../database/sql.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { encodeId } from '../../core/ids.ts'
import { appendAuditEntry } from '../../store/identity/audit-entries.ts'
import * as store from '../../store/identity/sessions.ts'
import {
  type Membership,
  type UserRow,
  lockMemberships,
  lockMembershipsOf,
  membershipsOf,
  userByEmail,
} from '../../store/identity/users.ts'
import { signInBrowser } from './browser-sign-ins.ts'
import { chooseMembership } from './membership-choice.ts'
import {
  type NewSession,
  type OpenedSession,
  type SessionOrigin,
  openMemberSession,
  unknownOrigin,
} from './new-session.ts'
import { type ShownPasskey, checkAnswer, useAnswer } from './passkey-answers.ts'
import {
  type FactorCheck,
  createMfaToken,
  requireSecondFactor,
  userOfMfaToken,
} from './second-factor-check.ts'
import { type SignInAttempt, limitSignInFailures, rememberPlace } from './sign-in-failures.ts'
import { type ShownLink, userOfLink } from './sign-in-links.ts'

export interface SignedIn {
  session: OpenedSession
  membership: Membership
  /** The value of the cookie with which a browser gets its next token. */
  cookie?: string
}

/** What is signed in to, and from where. */
export interface SignInChoice {
  /** Undefined lets `chooseMembership` pick one. */
  organization?: string | undefined
  client?: 'browser' | 'cli' | undefined
  origin?: SessionOrigin
  /** Undefined for an operator, whose actions are recorded elsewhere. */
  requestId?: string
  /** Given for a program that another sign-in has approved: it does not begin now. */
  approved?: Pick<NewSession, 'client' | 'authenticatedAt' | 'expiresAt'>
}

/** How a sign-in reads, writes and checks a second factor. */
export interface SignInTools extends FactorCheck {
  /** Rolled back in a dry run. */
  write: Database['transaction']
}

export interface PasswordCredentials extends Pick<SignInAttempt, 'address'> {
  /** Normalized. */
  email: string
  password: string
  /** Whose turn it is: strangers take turns by their networks. */
  requester: Requester
}

/** A network hashes one password at a time, and so never takes the places of others. */
const passwordTurns = new FairQueue(turns.passwords)

export const signInByPassword = async (
  tools: SignInTools,
  { totp, ...credentials }: PasswordCredentials & { totp: string | undefined },
  choice: SignInChoice,
): Promise<SignedIn> => {
  const user = await userByPassword(tools, credentials)
  return signInWithFactor(tools, user, totp, choice)
}

const signInWithFactor = async (
  tools: SignInTools,
  user: UserRow,
  totp: string | undefined,
  choice: SignInChoice,
): Promise<SignedIn> => {
  if (user.second_factor_since !== null) {
    const mfaToken = await createMfaToken(tools, user)
    await requireSecondFactor(tools, user, { code: totp, mfaToken })
  }
  return tools.write((tx) => signIn(tx, user.id, choice))
}

/** The password or the link was right at most five minutes ago. */
export const signInByMfaToken = async (
  tools: SignInTools,
  { mfa_token: mfaToken, totp }: { mfa_token: string; totp: string },
  choice: SignInChoice,
): Promise<SignedIn> => {
  const user = await userOfMfaToken(tools.read, mfaToken)
  await requireSecondFactor(tools, user, { code: totp, mfaToken, version: user.version })
  return tools.write((tx) => signIn(tx, user.id, choice))
}

/** The authenticator has checked the person, so no other factor is asked for. */
export const signInByPasskey = async (
  tools: SignInTools,
  shown: ShownPasskey,
  choice: SignInChoice,
): Promise<SignedIn> => {
  const { read, write, transaction, address } = tools
  return limitSignInFailures({ transaction, attempt: { address, email: null } }, async () => {
    const checked = await checkAnswer(read, shown)
    return write(async (tx) => signIn(tx, (await useAnswer(tx, checked)).id, choice))
  })
}

/** Refuses a wrong password and an unknown user alike, after the same time. */
export const userByPassword = async (
  { read, transaction }: Pick<FactorCheck, 'read' | 'transaction'>,
  { email, password, requester, address }: PasswordCredentials,
): Promise<UserRow> => {
  const attempt: SignInAttempt = { address, email, isFirst: true }
  const isComplete = (user: UserRow) => user.second_factor_since === null
  return passwordTurns.run(requester, () =>
    limitSignInFailures({ transaction, attempt, isComplete }, async () => {
      const found = await userByEmail(read, email)
      const isCorrect = await verifyPassword(password, found?.password_hash ?? null)
      if (found !== undefined && isCorrect) return found
      throw unauthorized('The e-mail or the password is wrong.')
    }),
  )
}

/** A hash takes a turn, as a check does. */
export const hashInTurn = (requester: Requester, password: string): Promise<string> =>
  passwordTurns.run(requester, () => hashPassword(password))

/**
 * A refusal leaves the link unused, unless the second factor is what is missing: the link has shown
 * what it can then, and the mfa_token goes on from there.
 */
export const signInByLink = async (
  tools: SignInTools,
  { totp, ...shown }: ShownLink & { totp: string | undefined },
  choice: SignInChoice,
): Promise<SignedIn> => {
  const done = await tools.write(async (tx) => {
    const user = await userOfLink(tx, shown)
    return user.second_factor_since === null ? signIn(tx, user.id, choice) : { user }
  })
  if ('user' in done) return signInWithFactor(tools, done.user, totp, choice)
  const { email } = done.membership
  await tools.write((tx) => rememberPlace(tx, { address: tools.address, email }))
  return done
}

/** Opens a session for an authenticated user. */
export const signIn = async (
  tx: Queryable,
  user: string,
  { organization, client = 'cli', origin = unknownOrigin, requestId, approved }: SignInChoice,
): Promise<SignedIn> => {
  const membership = chooseMembership(await membershipsOf(tx, user), organization)

  // From here the change must succeed.
  const signedIn =
    client === 'browser'
      ? await signInBrowser(tx, membership, origin)
      : { session: await openMemberSession(tx, membership, { origin, ...approved }), membership }
  if (requestId === undefined) return signedIn
  const entry = {
    organization_id: membership.organization_id,
    user_id: user,
    request_id: requestId,
    operation: 'sessions.create',
    path: '/auth/sessions',
    address: origin.address ?? '',
    resource_id: encodeId('ses', signedIn.session.id),
  }
  await appendAuditEntry(tx, entry)
  return signedIn
}

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
    throw sessionNotActive()
  }

  // From here the change must succeed.
  const { address, user_agent } = old
  const opened = await openMemberSession(tx, membership, {
    expiresAt: old.expires_at,
    authenticatedAt: old.authenticated_at,
    signInId: old.sign_in_id ?? undefined,
    origin: { address, user_agent },
  })
  return { session: { ...opened, id: old.sign_in_id ?? opened.id }, membership }
}

/** Immediate and safe to repeat; a token of a browser takes the whole sign-in with it. */
export const endSession = async (tx: Queryable, id: string): Promise<store.SessionRow> => {
  const session = (await store.sessionById(tx, id))!
  await lockMembershipsOf(tx, session.user_id)
  const ended = session.sign_in_id ?? session.id
  await store.endSessions(tx, session.user_id, ended, await databaseNow(tx))
  return (await store.sessionById(tx, id))!
}

/** Ends a session of the user that goes on; undefined when there is none. */
export const revokeSession = async (
  tx: Queryable,
  user: string,
  id: string,
): Promise<store.ListedSession | undefined> => {
  await lockMembershipsOf(tx, user)
  const session = await store.openSessionOf(tx, user, id)
  if (session === undefined) return undefined

  // From here the change must succeed.
  await store.endSessions(tx, user, id, await databaseNow(tx))
  return session
}

/** The user has proved their identity again, for all tokens of a browser's sign-in. */
export const markAuthenticated = async (tx: Queryable, user: string, id: string): Promise<void> => {
  await lockMembershipsOf(tx, user)
  const { sign_in_id } = (await store.sessionById(tx, id))!
  await store.setAuthenticated(tx, sign_in_id ?? id, await databaseNow(tx))
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
