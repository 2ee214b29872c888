/**
 * Asks for the second factor of a user whose password, link or session was right. Nothing here is
 * reached by anybody else, so no answer and no time says whether a user has a second factor.
 *
 * A sign-in that lacks the code gets an mfa_token, which stands for the password for five minutes.
 * It names the version of its user, which every sign-in with a code counts up: so it works once.
 */
import { type Refusal, rateLimited, unauthorized } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { wholeSeconds } from '../../core/dates.ts'
import { decodeId, encodeId } from '../../core/ids.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Database } from '../../database/pool.ts'
import type { Queryable } from '../../database/sql.ts'
import { isConfirmed, userWithFactor } from '../../store/identity/second-factors.ts'
import type { UserRow } from '../../store/identity/users.ts'
import { type ShownPasskey, checkAnswer, useAnswer, wrongPasskey } from './passkey-answers.ts'
import { useCode } from './second-factors.ts'
import { limitSignInFailures } from './sign-in-failures.ts'
import { isSignatureOf, signatureOf } from './signed-tokens.ts'

/** What a check needs beside the code. */
export interface FactorCheck {
  read: Queryable
  /** Commits also in a dry run, so that wrong codes always count. */
  transaction: Database['transaction']
  keys: ServerKeys
  address: string
  isDryRun: boolean
}

const tokenPattern = /^mt_([0-9a-z]{1,12})_([0-9a-z]{26})_([0-9A-Za-z_-]{16,64})$/

/** It differs from every credential. */
const signedText = ({ id, version }: UserRow, endsAt: string): string =>
  `second factor of ${id} at ${version} until ${endsAt}`

/** Null in a dry run. */
export const createMfaToken = async (
  { read, isDryRun }: Pick<FactorCheck, 'read' | 'isDryRun'>,
  user: UserRow,
): Promise<string | null> => {
  if (isDryRun) return null
  const endsAt = (Date.parse(await databaseNow(read)) + limits.mfaTokenLifetimeMs).toString(36)
  const id = encodeId('usr', user.id).slice('usr_'.length)
  return `mt_${endsAt}_${id}_${signatureOf(read.seals, signedText(user, endsAt))}`
}

/** Refuses tokens that are unknown, used or expired alike. */
export const userOfMfaToken = async (read: Queryable, token: string): Promise<UserRow> => {
  const [, endsAt = '', name = '', signature = ''] = tokenPattern.exec(token) ?? []
  const id = decodeId('usr', `usr_${name}`)
  const user = id === undefined ? undefined : (await userWithFactor(read, id))?.user
  const isSigned =
    user !== undefined && isSignatureOf(read.seals, signedText(user, endsAt), signature)
  const hasEnded = Number.parseInt(endsAt, 36) <= Date.parse(await databaseNow(read))
  if (!isSigned || hasEnded) throw unknownMfaToken()
  return user
}

/** What a person shows for the second factor. */
export interface ShownFactor {
  code?: string | undefined
  /** In place of the code. */
  passkey?: ShownPasskey | undefined
  /** What stands for the password the next time; only a sign-in hands one out. */
  mfaToken?: string | null
  /** The user may not have changed since. */
  version?: bigint
}

/** Refuses unless the user has no second factor, or shows the right one: it is used up then. */
export const requireSecondFactor = async (
  check: FactorCheck,
  user: UserRow,
  { code, passkey, mfaToken, version }: ShownFactor,
): Promise<void> => {
  if (user.second_factor_since === null) return
  if (passkey !== undefined) return requirePasskey(check, user, passkey)
  const { read, transaction, keys, address, isDryRun } = check
  const methods = await factorMethodsOf(read, user)
  if (code === undefined) throw factorRequired(missingCode, mfaToken, methods)
  const shown = { id: user.id, text: code, version, isDryRun }
  const attempt = { address, email: user.email }
  return limitSignInFailures({ transaction, attempt }, async () => {
    const verdict = await transaction((tx) => useCode(tx, keys, shown))
    if (verdict.kind === 'right') return
    if (verdict.kind === 'changed') throw unknownMfaToken()
    if (verdict.kind === 'early') throw tooManyWrongCodes(verdict.waitMs)
    throw factorRequired(wrongCode, mfaToken, methods)
  })
}

/** Refuses unless a passkey of the user has answered: the answer is used up then. */
export const requirePasskey = async (
  { read, transaction, address, isDryRun }: FactorCheck,
  user: UserRow,
  shown: ShownPasskey,
): Promise<void> => {
  const attempt = { address, email: user.email }
  return limitSignInFailures({ transaction, attempt }, async () => {
    const checked = await checkAnswer(read, shown)
    if (checked.passkey.user_id !== user.id) throw wrongPasskey()
    if (!isDryRun) await transaction((tx) => useAnswer(tx, checked))
  })
}

type FactorMethod = 'totp' | 'passkey'

/** What the user can show as the second factor. */
export const factorMethodsOf = async (
  read: Queryable,
  { id }: UserRow,
): Promise<FactorMethod[]> => {
  const { factor } = (await userWithFactor(read, id))!
  return [
    ...(isConfirmed(factor) ? (['totp'] as const) : []),
    ...((factor?.passkeys ?? 0) > 0 ? (['passkey'] as const) : []),
  ]
}

const missingCode =
  'This needs the second factor of the user: send totp, with a code of the app or a recovery code, or use a passkey.'
const wrongCode =
  'The code is wrong, or it was used already. Send the next code of the app, or a recovery code.'

const factorRequired = (
  message: string,
  mfaToken: string | null | undefined,
  methods: readonly FactorMethod[],
): Refusal => {
  const token = mfaToken === undefined ? {} : { mfa_token: mfaToken }
  const details = { reason: 'mfa_required', methods, ...token }
  return unauthorized(message, details)
}

const unknownMfaToken = (): Refusal =>
  unauthorized('The mfa_token is unknown, used or expired. Sign in again.')

const tooManyWrongCodes = (waitMs: number): Refusal => {
  const seconds = wholeSeconds(waitMs)
  const message = `Too many codes were wrong. Try again in ${seconds} s, or send a recovery code.`
  return rateLimited(message, {
    policy: 'second_factor',
    limit: limits.wrongCodesFree,
    windowSeconds: limits.wrongCodeWaitMaxMs / 1000,
    retryAfterSeconds: seconds,
  })
}
