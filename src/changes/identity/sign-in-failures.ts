/**
 * Bounds how often somebody guesses a password, a code or a passkey (docs/decisions/0175).
 *
 * Invariants: an attempt counts as failed before anybody looks whether it is right, so that as many
 * at once learn no more than one after the other; users and addresses of nobody are counted alike;
 * no refusal lasts longer than some minutes, and failures elsewhere keep nobody from signing in
 * where they have signed in before.
 */
import assert from 'node:assert/strict'
import { type Refusal, isRefusal, rateLimited } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { wholeSeconds } from '../../core/dates.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { blockOf, networkOf } from '../../core/identity/ip-addresses.ts'
import * as core from '../../core/identity/sign-in-failures.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Database } from '../../database/pool.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/identity/sign-in-failures.ts'

export interface SignInAttempt {
  address: string
  /** Normalized; null where the person has not said who they are. */
  email: string | null
  /** The first thing that the person shows, which strangers on many networks can guess together. */
  isFirst?: boolean
}

interface Limited<T> {
  transaction: Database['transaction']
  attempt: SignInAttempt
  /** Whether the person has shown all that there is to show, so that failures are forgotten. */
  isComplete?: (result: T) => boolean
}

/**
 * Refuses with `rate_limited` if too many attempts like this one have failed. It has failed if the
 * work refuses it as `unauthorized`.
 */
export const limitSignInFailures = async <T>(
  { transaction, attempt, isComplete = () => true }: Limited<T>,
  work: () => Promise<T>,
): Promise<T> => {
  await transaction((tx) => countAttempt(tx, attempt))
  const [outcome] = await Promise.allSettled([work()])
  if (outcome.status === 'fulfilled') {
    const { value } = outcome
    await transaction((tx) => uncountAttempt(tx, attempt, { forgets: isComplete(value) }))
    return value
  }
  const { reason } = outcome
  if (!isRefusal(reason, 'unauthorized'))
    await transaction((tx) => uncountAttempt(tx, attempt, { forgets: false }))
  throw reason
}

type Counted = core.FailureRule & { hash: Buffer; name: keyof typeof core.failureRules }

const countedOf = ({ seals }: Queryable, attempt: SignInAttempt): Counted[] => {
  const { address, email, isFirst = false } = attempt
  const counted = (name: Counted['name'], ...of: string[]): Counted => ({
    name,
    hash: seals.credentialMac(['failed sign-ins', name, ...of].join('\n')),
    ...core.failureRules[name],
  })
  const network = networkOf(address)
  return [
    ...(email === null ? [] : [counted('accountOnNetwork', network, email)]),
    ...(email !== null && isFirst ? [counted('account', email)] : []),
    counted('network', network),
    counted('block', blockOf(address)),
  ]
}

type LockedCount = { rule: Counted; row: store.SignInFailures }

const lockedCounts = async (tx: Queryable, attempt: SignInAttempt): Promise<LockedCount[]> => {
  const counted = countedOf(tx, attempt)
  const hashes = counted.map(({ hash }) => hash)
  const rows = await store.lockSignInFailures(tx, hashes)
  assert.equal(rows.length, counted.length)
  return counted.map((rule) => ({ rule, row: rows.find((row) => row.hash.equals(rule.hash))! }))
}

const countAttempt = async (tx: Queryable, attempt: SignInAttempt): Promise<void> => {
  const counts = await lockedCounts(tx, attempt)
  const nowMs = Date.parse(await databaseNow(tx))
  const isKnown = counts.some(({ row }) => core.isKnown(row, nowMs))
  const asked = isKnown ? counts.filter(({ rule }) => rule.name !== 'account') : counts
  const [longest] = asked
    .map(({ rule, row }) => ({ rule, waitMs: core.waitLeftMs(row, nowMs) }))
    .toSorted((a, b) => b.waitMs - a.waitMs)
  if (longest!.waitMs > 0) throw tooManyFailures(longest!.rule, longest!.waitMs)

  // From here the change must succeed.
  const failed = counts.map(({ rule, row }) => core.withFailure(rule, row, nowMs))
  await store.setSignInFailures(tx, failed)
}

const uncountAttempt = async (
  tx: Queryable,
  attempt: SignInAttempt,
  { forgets }: { forgets: boolean },
): Promise<void> => {
  const counts = await lockedCounts(tx, attempt)
  const nowMs = Date.parse(await databaseNow(tx))
  const left = counts.map(({ rule, row }) =>
    forgets && rule.name === 'accountOnNetwork'
      ? core.withSuccess(row, nowMs)
      : core.withoutFailure(rule, row),
  )
  await store.setSignInFailures(tx, left)
}

/** An account on a network. */
type Place = { address: string; email: string }

/** The address may be that of an older user, as it is stored (sql/0045-composed-addresses.sql). */
const placeHash = (tx: Queryable, { address, email }: Place): Buffer =>
  countedOf(tx, { address, email: normalizeEmail(email) })[0]!.hash

/** Whether somebody has signed in there lately; an address of nobody takes as long to look up. */
export const isKnownPlace = async (tx: Queryable, place: Place): Promise<boolean> => {
  const row = await store.signInFailuresOf(tx, placeHash(tx, place))
  return row !== undefined && core.isKnown(row, Date.parse(await databaseNow(tx)))
}

/** For a sign-in that needed nothing that somebody could guess. */
export const rememberPlace = async (tx: Queryable, place: Place): Promise<void> => {
  const rows = await store.lockSignInFailures(tx, [placeHash(tx, place)])
  const nowMs = Date.parse(await databaseNow(tx))
  await store.setSignInFailures(
    tx,
    rows.map((row) => core.withSuccess(row, nowMs)),
  )
}

const failedOf: Readonly<Record<Counted['name'], string>> = {
  accountOnNetwork: 'with this e-mail',
  account: 'with this e-mail',
  network: 'from your network',
  block: 'from your network',
}

const tooManyFailures = ({ name, freeFailures }: Counted, waitMs: number): Refusal => {
  const seconds = wholeSeconds(waitMs)
  const message = `Too many sign-ins ${failedOf[name]} have failed. Try again in ${seconds} s.`
  return rateLimited(message, {
    policy: 'sign_in',
    limit: freeFailures,
    windowSeconds: limits.signInWaitMaxMs / 1000,
    retryAfterSeconds: seconds,
  })
}
