/**
 * Programs that a person signs in from a browser (RFC 8628): the program shows a short code, the
 * person types it into a page, sees who asks, and approves; the program polls meanwhile.
 *
 * Invariants: the sign-in that has claimed a code is the only one that decides on it; a code gets
 * one session, which enters no other organization and adds no way to sign in
 * (`checkIsPerson`), if its approver has not signed out meanwhile; an old row revives no approval
 * (store/identity/access-versions.ts); how many codes wait is bounded, for a network, for the
 * block around it, and in all.
 */
import { randomBytes } from 'node:crypto'
import { type Refusal, rateLimited, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { later, wholeSeconds } from '../../core/dates.ts'
import {
  deviceCodeBytes,
  deviceCodeFrom,
  isDeviceCode,
  readUserCode,
  userCodeFrom,
  userCodeRandomBytes,
  userCodeText,
} from '../../core/identity/device-codes.ts'
import { blockOf, networkOf } from '../../core/identity/ip-addresses.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { checkRowOfUser, countUserChange, lockUser } from '../../store/identity/access-versions.ts'
import * as store from '../../store/identity/device-codes.ts'
import { openSessionOf } from '../../store/identity/sessions.ts'
import { type Membership, membershipsOf } from '../../store/identity/users.ts'
import { chooseMembership } from './membership-choice.ts'
import type { SessionOrigin } from './new-session.ts'
import { type SignedIn, signIn } from './sessions.ts'

const startLock = 4_216_774

export interface StartedCodes {
  deviceCode: string
  /** Without its hyphen. */
  userCode: string
}

export const startDeviceCode = async (
  tx: Queryable,
  { address, user_agent }: SessionOrigin & { address: string },
): Promise<StartedCodes> => {
  await tx.rows(sql`select pg_advisory_xact_lock(${startLock})`)
  const network = networkOf(address)
  await checkRoom(tx, network, blockOf(address))
  const now = await databaseNow(tx)

  // From here the change must succeed.
  const deviceCode = deviceCodeFrom(randomBytes(deviceCodeBytes))
  const userCode = await freshUserCode(tx)
  await store.insertDeviceCode(tx, {
    hash: tx.seals.credentialMac(deviceCode),
    user_hash: tx.seals.credentialMac(userCodeText(userCode)),
    status: 'pending',
    address,
    network,
    user_agent,
    created_at: now,
    expires_at: later(now, limits.deviceCodeLifetimeMs),
    interval_seconds: limits.devicePollSeconds,
    polled_at: null,
    user_id: null,
    sign_in_id: null,
    organization_id: null,
    authenticated_at: null,
    user_version: null,
  })
  return { deviceCode, userCode }
}

/** Later statements than the lock: no two codes can both be the last one. */
const checkRoom = async (tx: Queryable, network: string, block: string): Promise<void> => {
  const bounds = [
    { counted: { network }, limit: limits.deviceCodesPerNetworkMax, of: 'of your network' },
    {
      counted: { block },
      limit: limits.deviceCodesPerBlockMax,
      of: 'of the networks around yours',
    },
    { counted: {}, limit: limits.deviceCodesMax, of: 'in all' },
  ]
  for (const { counted, limit, of } of bounds) {
    const codes = await store.countDeviceCodes(tx, counted)
    if (codes.count >= limit) throw tooManyCodes(codes, await databaseNow(tx), { limit, of })
  }
}

const freshUserCode = async (tx: Queryable): Promise<string> => {
  for (;;) {
    const code = userCodeFrom(randomBytes(userCodeRandomBytes))
    if ((await rowOf(tx, code)) === undefined) return code
  }
}

const rowOf = (tx: Queryable, userCode: string): Promise<store.DeviceCodeRow | undefined> =>
  store.userCodeForUpdate(tx, tx.seals.credentialMacs(userCodeText(userCode)))

/** A signed-in person, by the sign-in and not by one of its tokens, which a browser replaces. */
export interface Decider {
  user: string
  signIn: string
}

/** Binds the code to the sign-in; undefined if there is no such code, or not any more. */
export const claimDeviceCode = async (
  tx: Queryable,
  text: string,
  by: Decider,
): Promise<store.DeviceCodeRow | undefined> => {
  const code = await undecidedCode(tx, text, by)
  if (code?.status !== 'pending') return code
  const claim = { status: 'claimed', user_id: by.user, sign_in_id: by.signIn }
  return store.changeDeviceCode(tx, code, claim)
}

/** The code that this sign-in has claimed; undefined if there is none. */
const claimedCode = async (
  tx: Queryable,
  text: string,
  by: Decider,
): Promise<store.DeviceCodeRow | undefined> => {
  const code = await undecidedCode(tx, text, by)
  if (code?.status === 'pending') throw notClaimed()
  return code
}

/** A code that this sign-in has claimed, or that it can claim. */
const undecidedCode = async (
  tx: Queryable,
  text: string,
  { user, signIn }: Decider,
): Promise<store.DeviceCodeRow | undefined> => {
  const userCode = readUserCode(text)
  const code = userCode === undefined ? undefined : await rowOf(tx, userCode)
  if (code === undefined || code.expires_at <= (await databaseNow(tx))) return undefined
  checkIsUndecided(code)
  const isOwn = code.user_id === user && code.sign_in_id === signIn
  if (code.status === 'claimed' && !isOwn) throw claimedElsewhere()
  return code
}

export interface DecidedCode {
  code: store.DeviceCodeRow
  membership: Membership | undefined
}

export interface Approval {
  by: Decider
  /** The organization for which the program gets its session. */
  organization: string
  /** When the approver last showed who they are. */
  authenticatedAt: string
  /** Refuses an approver who lacks what the organization needs. */
  checkApprover(membership: Membership): void
}

/** The caller has found that the approver signed in, or stepped up, lately. */
export const approveDeviceCode = async (
  tx: Queryable,
  text: string,
  { by, organization, authenticatedAt, checkApprover }: Approval,
): Promise<DecidedCode | undefined> => {
  const { version } = await lockUser(tx, by.user)
  const membership = chooseMembership(await membershipsOf(tx, by.user), organization)
  checkApprover(membership)
  const claimed = await claimedCode(tx, text, by)
  if (claimed === undefined) return undefined

  // From here the change must succeed.
  const code = await store.changeDeviceCode(tx, claimed, {
    status: 'approved',
    organization_id: organization,
    authenticated_at: authenticatedAt,
    user_version: version,
  })
  return { code, membership }
}

export const denyDeviceCode = async (
  tx: Queryable,
  text: string,
  by: Decider,
): Promise<DecidedCode | undefined> => {
  const claimed = await claimedCode(tx, text, by)
  if (claimed === undefined) return undefined
  const code = await store.changeDeviceCode(tx, claimed, { status: 'denied' })
  return { code, membership: undefined }
}

/** What a poll comes to (RFC 8628 3.5). */
export type PollOutcome =
  | { kind: 'authorization_pending' | 'slow_down'; interval: number }
  | { kind: 'access_denied' | 'expired_token' }
  | { kind: 'signed_in'; signedIn: SignedIn }

/** To be committed in any case, since it counts how often the program polls. */
export const pollDeviceCode = async (
  tx: Queryable,
  deviceCode: string,
  requestId: string,
): Promise<PollOutcome> => {
  const hashes = isDeviceCode(deviceCode) ? tx.seals.credentialMacs(deviceCode) : []
  const code = await store.deviceCodeByHash(tx, hashes)
  const now = await databaseNow(tx)
  if (code === undefined || code.expires_at <= now) return { kind: 'expired_token' }
  if (code.status === 'denied') return { kind: 'access_denied' }
  if (code.status !== 'approved') return countPoll(tx, code, now)
  const user = await lockUser(tx, code.user_id!)
  // A later statement than the lock: another poll may have used it.
  const approved = await store.deviceCodeByHash(tx, hashes)
  if (approved === undefined) return { kind: 'expired_token' }
  checkRowOfUser('device_codes', approved, user)
  await store.deleteDeviceCode(tx, approved)
  await countUserChange(tx, user)
  const approver = await openSessionOf(tx, user.id, approved.sign_in_id!)
  if (approver === undefined) return { kind: 'access_denied' }
  const { address, user_agent, organization_id, authenticated_at } = approved
  const signedIn = await signIn(tx, user.id, {
    organization: organization_id!,
    origin: { address, user_agent },
    requestId,
    approved: {
      client: 'device',
      authenticatedAt: authenticated_at!,
      expiresAt: later(authenticated_at!, limits.sessionLifetimeMs),
    },
  })
  return { kind: 'signed_in', signedIn }
}

const countPoll = async (
  tx: Queryable,
  code: store.DeviceCodeRow,
  now: string,
): Promise<PollOutcome> => {
  const { interval_seconds: seconds, polled_at: last } = code
  const waitedMs = Date.parse(now) - Date.parse(last ?? code.created_at)
  const isEarly = last !== null && waitedMs < seconds * 1000 - limits.devicePollToleranceMs
  const slower = Math.min(seconds + limits.devicePollSlowerSeconds, limits.devicePollMaxSeconds)
  const interval = isEarly ? slower : seconds
  await store.setPolled(tx, code, { polled_at: now, interval_seconds: interval })
  return { kind: isEarly ? 'slow_down' : 'authorization_pending', interval }
}

const checkIsUndecided = ({ status }: store.DeviceCodeRow): void => {
  if (status === 'pending' || status === 'claimed') return
  throw refuse('conflict', 'This code has been approved or denied. Start again in the program.', {
    reason: 'already_decided',
  })
}

const notClaimed = (): Refusal =>
  refuse('conflict', 'Nobody has claimed this code: call POST /auth/device/claim first.', {
    reason: 'not_claimed',
  })

const claimedElsewhere = (): Refusal =>
  refuse(
    'conflict',
    'Another sign-in has claimed this code, and only that one can approve or deny it. Start again in the program.',
    { reason: 'claimed_elsewhere' },
  )

const tooManyCodes = (
  { next_end: end }: store.CodeCount,
  now: string,
  { limit, of }: { limit: number; of: string },
): Refusal => {
  const seconds = wholeSeconds(Date.parse(end!) - Date.parse(now))
  return rateLimited(`${limit} codes ${of} wait for an approval. Try again in ${seconds} s.`, {
    policy: 'device_codes',
    limit,
    windowSeconds: limits.deviceCodeLifetimeMs / 1000,
    retryAfterSeconds: seconds,
  })
}
