/**
 * Browsers: a user signs in once, and the cookie of the sign-in gets short tokens from then on, one
 * for each tab. The cookie has two halves: one that stays, and one that works once. Whoever shows a
 * half that was used already, the browser or a thief, ends the sign-in with all of its tokens.
 *
 * A response may be lost, for example by a reload, and the browser then sends the same half again.
 * For some seconds it gets another successor, as long as none has been used. The first successor
 * that is used makes all others used ones, so that of two holders of a cookie one is noticed
 * (docs/decisions/0127).
 *
 * Invariants: a sign-in ends a week after its last token, and 30 days after it began; of the cookie
 * only MACs are stored; an old row revives no half (store/identity/access-versions.ts).
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { rateLimited, unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { newId } from '../../database/new-ids.ts'
import type { Queryable } from '../../database/sql.ts'
import { countSignOut } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/sessions.ts'
import {
  type Membership,
  lockMemberships,
  lockMembershipsAround,
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

/**
 * A half is a random part, and a MAC of that part and of the half that was used before. So a half
 * has any number of successors, and a row only has to remember the half that was used last.
 */
const partBytes = halfBytes / 2

const successorMacInput = (usedHash: Buffer, part: Buffer): string =>
  `successor ${usedHash.toString('hex')} ${part.toString('hex')}`

const successorOf = (tx: Queryable, usedHash: Buffer): string => {
  const part = randomBytes(partBytes)
  const mac = tx.seals.credentialMac(successorMacInput(usedHash, part))
  return Buffer.concat([part, mac.subarray(-partBytes)]).toString('base64url')
}

const isSuccessor = (tx: Queryable, usedHash: Buffer, half: string): boolean => {
  const bytes = Buffer.from(half, 'base64url')
  const [part, shown] = [bytes.subarray(0, partBytes), bytes.subarray(partBytes)]
  return tx.seals
    .credentialMacs(successorMacInput(usedHash, part))
    .some((mac) => timingSafeEqual(mac.subarray(-partBytes), shown))
}

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
  const lasting = randomHalf()
  // Stands for a half before the first one, which nobody has.
  const usedHash = tx.seals.credentialMac(randomHalf())
  const signIn: store.SessionRow = {
    id: newId(Date.parse(now)),
    user_id,
    organization_id,
    mode,
    session_version,
    client: 'browser',
    sign_in_id: null,
    ...origin,
    hash: tx.seals.credentialMac(lastingSecret(lasting)),
    refresh_hash: usedHash,
    created_at: now,
    authenticated_at: now,
    refreshed_at: now,
    revoked_at: null,
    expires_at: endOfSignIn(now, now),
  }
  await store.insertSession(tx, signIn)
  const cookie = `rf_${lasting}${successorOf(tx, usedHash)}`
  return { ...(await openToken(tx, signIn, membership, now)), cookie }
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
  const isFirstUse = isSuccessor(tx, signIn.refresh_hash!, single)
  if (!isFirstUse && !mayRepeat(tx, signIn, single, now)) {
    await store.endSessions(tx, user, signIn.id, now)
    return undefined
  }
  const membership = chooseMembership(await membershipsOf(tx, user), organization)
  if ((await store.openTokensOf(tx, signIn.id)) >= limits.browserTokensMax) throw tooManyTokens()

  // From here the change must succeed.
  const current = isFirstUse ? await markUsed(tx, signIn, { lasting, single }, now) : signIn
  const next = successorOf(tx, current.refresh_hash!)
  return { ...(await openToken(tx, current, membership, now)), cookie: `rf_${lasting}${next}` }
}

/** It is the half that was used last, and none of its successors has been used. */
const mayRepeat = (tx: Queryable, signIn: store.SessionRow, half: string, now: string): boolean =>
  tx.seals.credentialMacs(half).some((mac) => mac.equals(signIn.refresh_hash!)) &&
  Date.parse(now) <= Date.parse(signIn.refreshed_at!) + limits.browserRepeatMs

const markUsed = async (
  tx: Queryable,
  { id, user_id, organization_id, created_at }: store.SessionRow,
  { lasting, single }: { lasting: string; single: string },
  now: string,
): Promise<store.SessionRow> => {
  const [refreshed] = await store.setRefreshed(tx, id, {
    hash: tx.seals.credentialMac(lastingSecret(lasting)),
    refresh_hash: tx.seals.credentialMac(single),
    refreshed_at: now,
    expires_at: endOfSignIn(created_at, now),
  })
  await countSignOut(tx, (await membershipOf(tx, user_id, organization_id))!)
  return refreshed!
}

/** Whoever leaves an organization stays signed in for the others (docs/decisions/0240). */
export const keepSignIns = async (tx: Queryable, user: string, left: string): Promise<void> => {
  await lockMembershipsAround(tx, { user, organization: left })
  // Later statements than the lock.
  const others = (await membershipsOf(tx, user)).filter(
    ({ organization_id, is_suspended }) => organization_id !== left && !is_suspended,
  )
  if (others.length === 0) return
  const { organization_id, mode } = chooseMembership(others, undefined)
  const from = (await membershipOf(tx, user, left))!
  const { session_version } = (await membershipOf(tx, user, organization_id))!
  await store.moveSignIns(tx, from, { organization_id, mode, session_version })
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

export const notSignedIn = () => unauthorized('This browser is no longer signed in. Sign in again.')

const tooManyTokens = () => {
  const windowSeconds = limits.browserTokenLifetimeMs / 1000
  return rateLimited(
    'This browser has too many tokens at the same time: keep a token until it ends.',
    {
      policy: 'browser_tokens',
      limit: limits.browserTokensMax,
      windowSeconds,
      retryAfterSeconds: windowSeconds,
    },
  )
}
