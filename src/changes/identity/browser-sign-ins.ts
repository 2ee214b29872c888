/**
 * Browsers: a user signs in once, and the cookie of the sign-in gets short tokens from then on, one
 * for each tab. The cookie has two halves: one that stays, and one that works once. Whoever shows a
 * half that was used already, the browser or a thief, ends the sign-in with all of its tokens.
 *
 * Invariants: a sign-in ends a week after its last token, and 30 days after it began; of the cookie
 * only MACs are stored; an old row revives no half (store/identity/access-versions.ts).
 */
import { randomBytes } from 'node:crypto'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { countSignOut } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/sessions.ts'
import {
  type Membership,
  lockMemberships,
  lockMembershipsOf,
  membershipOf,
  membershipsOf,
} from '../../store/identity/users.ts'
import { chooseMembership } from './membership-choice.ts'
import { type OpenedSession, type SessionOrigin, openMemberSession } from './new-session.ts'

/** A token of a browser, with the cookie that gets the next one. */
export interface BrowserSession {
  session: OpenedSession
  membership: Membership
  cookie: string
}

const halfBytes = 24
const cookiePattern = /^rf_([0-9A-Za-z_-]{32})([0-9A-Za-z_-]{32})$/

/** What is stored of the half that stays must never be the MAC of a session token. */
const lastingSecret = (half: string): string => `rf_${half}`

const randomHalf = (): string => randomBytes(halfBytes).toString('base64url')

/** Begins the sign-in of a browser, with its first token. */
export const signInBrowser = async (
  tx: Queryable,
  membership: Membership,
  origin: SessionOrigin,
): Promise<BrowserSession> => {
  const { user_id, organization_id, mode } = membership
  await lockMemberships(tx, user_id, [organization_id])
  const { session_version } = (await membershipOf(tx, user_id, organization_id))!
  const now = await databaseNow(tx)
  const [lasting, single] = [randomHalf(), randomHalf()]
  const signIn: store.SessionRow = {
    ...{ id: newId(Date.parse(now)), user_id, organization_id, mode, session_version },
    ...{ client: 'browser', sign_in_id: null, ...origin },
    hash: tx.seals.credentialMac(lastingSecret(lasting)),
    refresh_hash: tx.seals.credentialMac(single),
    ...{ created_at: now, authenticated_at: now, refreshed_at: now, revoked_at: null },
    expires_at: endOfSignIn(now, now),
  }
  await store.insertSession(tx, signIn)
  return { ...(await openToken(tx, signIn, membership, now)), cookie: `rf_${lasting}${single}` }
}

/**
 * The next token of a browser, for an organization of its user; undefined when the cookie was used
 * before: the sign-in has ended then, so the transaction has to be committed.
 */
export const refreshBrowser = async (
  tx: Queryable,
  cookie: string | undefined,
  organization: string | undefined,
): Promise<BrowserSession | undefined> => {
  const [, lasting = '', single = ''] = cookiePattern.exec(cookie ?? '') ?? []
  const hashes = lasting === '' ? [] : tx.seals.credentialMacs(lastingSecret(lasting))
  const known = await store.signInByHash(tx, hashes)
  if (known === undefined) throw notSignedIn()
  const { user_id: user } = known
  await lockMembershipsOf(tx, user)
  // A later statement than the lock.
  const signIn = await store.signInByHash(tx, hashes)
  const now = await databaseNow(tx)
  if (signIn === undefined || signIn.revoked_at !== null || signIn.expires_at <= now) {
    throw notSignedIn()
  }
  if (!tx.seals.credentialMacs(single).some((mac) => mac.equals(signIn.refresh_hash!))) {
    await store.endSessions(tx, user, signIn.id, now)
    return undefined
  }
  const membership = chooseMembership(await membershipsOf(tx, user), organization)
  if ((await store.openTokensOf(tx, signIn.id)) >= limits.browserTokensMax) throw tooManyTokens()

  // From here the change must succeed.
  const next = randomHalf()
  const [refreshed] = await store.setRefreshed(tx, signIn.id, {
    hash: tx.seals.credentialMac(lastingSecret(lasting)),
    refresh_hash: tx.seals.credentialMac(next),
    refreshed_at: now,
    expires_at: endOfSignIn(signIn.created_at, now),
  })
  await countSignOut(tx, (await membershipOf(tx, user, signIn.organization_id))!)
  return { ...(await openToken(tx, refreshed!, membership, now)), cookie: `rf_${lasting}${next}` }
}

const endOfSignIn = (createdAt: string, now: string): string =>
  new Date(
    Math.min(
      Date.parse(now) + limits.browserIdleMs,
      Date.parse(createdAt) + limits.browserSignInMaxMs,
    ),
  ).toISOString()

/** The browser knows its sign-in by the id of the sign-in, not by those of its tokens. */
const openToken = async (
  tx: Queryable,
  signIn: store.SessionRow,
  membership: Membership,
  now: string,
): Promise<Omit<BrowserSession, 'cookie'>> => {
  const ends = Math.min(
    Date.parse(now) + limits.browserTokenLifetimeMs,
    Date.parse(signIn.expires_at),
  )
  const session = await openMemberSession(tx, membership, {
    expiresAt: new Date(ends).toISOString(),
    signInId: signIn.id,
    authenticatedAt: signIn.authenticated_at,
    origin: { address: signIn.address, user_agent: signIn.user_agent },
  })
  return { session: { ...session, id: signIn.id }, membership }
}

export const notSignedIn = () =>
  refuse('unauthorized', 'This browser is not signed in any more. Sign in again.', undefined, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  })

const tooManyTokens = () => {
  const seconds = limits.browserTokenLifetimeMs / 1000
  return refuse(
    'rate_limited',
    'This browser has too many tokens at the same time: keep a token until it ends.',
    {
      ...{ policy: 'browser_tokens', limit: limits.browserTokensMax },
      ...{ window_seconds: seconds, retry_after_seconds: seconds },
    },
    { retryAfterSeconds: seconds },
  )
}
