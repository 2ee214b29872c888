/**
 * The second factor of a user (console 2.5): a secret in an authenticator app, and recovery codes.
 *
 * Invariants: the secret is stored encrypted for its user; every code works once, also when it is
 * sent twice at the same time; an old row revives neither a code nor a factor, and a row that is
 * gone is missed (store/identity/access-versions.ts).
 */
import { randomBytes } from 'node:crypto'
import { type Refusal, invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import {
  formatRecoveryCode,
  formatSecret,
  otpauthUrl,
  readCode,
  recoveryMac,
  stepOfCode,
  waitAfterWrongCodesMs,
} from '../../core/identity/one-time-codes.ts'
import type { ServerKeys } from '../../core/server-keys.ts'
import { decryptSecret, encryptSecret, nonceBytes } from '../../core/secret-encryption.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { BrokenSeal } from '../../database/row-seals.ts'
import type { Queryable } from '../../database/sql.ts'
import { countUserChange } from '../../store/identity/access-versions.ts'
import { deletePasskeysOf } from '../../store/identity/passkeys.ts'
import * as store from '../../store/identity/second-factors.ts'

type SecondFactorRow = store.SecondFactorRow

/** Binds an encrypted secret to its user: it cannot be decrypted for another one. */
const labelOf = (user: string): string => `second factor\n${user}`

const encrypted = (keys: ServerKeys, user: string, secret: string): Buffer =>
  encryptSecret(keys.newest, labelOf(user), secret, randomBytes(nonceBytes))

const decrypted = (keys: ServerKeys, { user_id: user, secret_sealed }: SecondFactorRow) =>
  keys.first((key) => decryptSecret(key, labelOf(user), secret_sealed))

const secretOf = (keys: ServerKeys, factor: SecondFactorRow): string => {
  const secret = decrypted(keys, factor)
  if (secret !== undefined) return secret
  throw new BrokenSeal('second_factors', factor.user_id, 'the secret cannot be decrypted')
}

/** The same secret under the newest key; undefined if it cannot be decrypted. */
export const reencryptedFactor = (
  keys: ServerKeys,
  factor: SecondFactorRow,
): Pick<SecondFactorRow, 'secret_sealed'> | undefined => {
  if (factor.secret_sealed.length === 0) return { secret_sealed: factor.secret_sealed }
  const secret = decrypted(keys, factor)
  if (secret === undefined) return undefined
  return { secret_sealed: encrypted(keys, factor.user_id, secret) }
}

export interface StartedFactor {
  /** Shown once. */
  secret: string
  otpauth_url: string
}

/** Replaces a secret that was not confirmed. */
export const startSecondFactor = async (
  tx: Queryable,
  keys: ServerKeys,
  id: string,
): Promise<StartedFactor> => {
  const { user, factor } = await store.lockUserWithFactor(tx, id)
  if (store.isConfirmed(factor)) throw isOn()

  // From here the change must succeed.
  const secret = formatSecret(randomBytes(limits.totpSecretBytes))
  await store.replaceFactor(tx, {
    user_id: id,
    secret_sealed: encrypted(keys, id, secret),
    recovery_macs: [],
    last_step: 0n,
    wrong_codes: 0,
    wrong_code_at: null,
    user_version: user.version,
    created_at: await databaseNow(tx),
    passkeys: factor?.passkeys ?? null,
  })
  await countUserChange(tx, user)
  return { secret, otpauth_url: otpauthUrl(secret, user.email) }
}

export interface FactorState {
  enabled_at: string | null
  recovery_codes_left: number
}

export const stateOf = ({ user, factor }: store.UserWithFactor): FactorState => {
  if (factor === undefined || !store.isConfirmed(factor)) {
    return { enabled_at: null, recovery_codes_left: 0 }
  }
  // A passkey may have been there before.
  const [, enabled_at] = [factor.created_at, user.second_factor_since!].toSorted()
  return { enabled_at: enabled_at!, recovery_codes_left: factor.recovery_macs.length }
}

/** From now on it is asked for. The recovery codes are shown once. */
export const confirmSecondFactor = async (
  tx: Queryable,
  keys: ServerKeys,
  { id, code: text }: { id: string; code: string },
): Promise<FactorState & { recovery_codes: string[] }> => {
  const { user, factor } = await store.lockUserWithFactor(tx, id)
  if (store.isConfirmed(factor)) throw isOn()
  if (factor === undefined || factor.secret_sealed.length === 0)
    throw isOff('Call POST /auth/totp first: there is no secret yet.')
  const secret = secretOf(keys, factor)
  const now = await databaseNow(tx)
  const { kind, code } = readCode(text)
  const at = { nowMs: Date.parse(now), lastStep: factor.last_step }
  const step = kind === 'totp' ? stepOfCode(secret, code, at) : undefined
  if (step === undefined) throw wrongFirstCode()

  // From here the change must succeed.
  const recovery_codes = Array.from({ length: limits.recoveryCodes }, () =>
    formatRecoveryCode(randomBytes(limits.recoveryCodeBytes)),
  )
  const recovery_macs = recovery_codes.map((one) => recoveryMac(secret, readCode(one).code))
  await store.changeFactor(tx, id, { last_step: step, recovery_macs })
  await countUserChange(tx, user, { second_factor_since: user.second_factor_since ?? now })
  return { enabled_at: now, recovery_codes_left: recovery_codes.length, recovery_codes }
}

/** Whoever calls has checked who asks. Returns what it was. */
export const removeSecondFactor = async (tx: Queryable, id: string): Promise<FactorState> => {
  const before = await store.lockUserWithFactor(tx, id)
  if (!store.isConfirmed(before.factor)) throw isOff('There is no second factor to remove.')

  // From here the change must succeed.
  const hasPasskey = (before.factor?.passkeys ?? 0) > 0
  await (hasPasskey ? store.changeFactor(tx, id, store.noCodes) : store.deleteFactor(tx, id))
  await countUserChange(tx, before.user, hasPasskey ? {} : { second_factor_since: null })
  return stateOf(before)
}

/** Codes and passkeys, for somebody who has lost them; returns since when it was asked for. */
export const removeAllFactors = async (tx: Queryable, id: string): Promise<string> => {
  const { user } = await store.lockUserWithFactor(tx, id)
  const { second_factor_since: since } = user
  if (since === null) throw isOff('There is no second factor to remove.')

  // From here the change must succeed.
  await store.deleteFactor(tx, id)
  await deletePasskeysOf(tx, id)
  await countUserChange(tx, user, { second_factor_since: null })
  return since
}

/** `early`: too many codes were wrong, so only a recovery code is looked at. */
export type CodeVerdict =
  | { kind: 'right' | 'wrong' | 'changed' }
  | { kind: 'early'; waitMs: number }

export interface ShownCode {
  id: string
  /** As the person typed it. */
  text: string
  /** What the caller knows of the user holds for this version alone. */
  version?: bigint | undefined
  /** Then a right code is not used up; a wrong one counts all the same. */
  isDryRun: boolean
}

/**
 * Uses up a code that is right, and counts one that is wrong; therefore the transaction is to be
 * committed in any case. Right without a look at the code if the factor is gone meanwhile.
 */
export const useCode = async (
  tx: Queryable,
  keys: ServerKeys,
  { id, text, version, isDryRun }: ShownCode,
): Promise<CodeVerdict> => {
  const { user, factor } = await store.lockUserWithFactor(tx, id)
  if (version !== undefined && user.version !== version) return { kind: 'changed' }
  if (user.second_factor_since === null) return { kind: 'right' }
  if (factor === undefined || !store.isConfirmed(factor)) return { kind: 'wrong' }
  const nowMs = Date.parse(await databaseNow(tx))
  const { kind, code } = readCode(text)
  const waitMs = waitLeftMs(factor, nowMs)
  // A recovery code is too long to be guessed: it lets in whom a stranger keeps waiting.
  if (waitMs > 0 && kind !== 'recovery') return { kind: 'early', waitMs }
  const used = usedBy({ kind, code }, { factor, secret: secretOf(keys, factor), nowMs })
  if (used === undefined) {
    const wrong_codes = wrongCodesOf(factor, nowMs) + 1
    await store.changeFactor(tx, id, { wrong_codes, wrong_code_at: new Date(nowMs).toISOString() })
    return { kind: 'wrong' }
  }
  if (isDryRun) return { kind: 'right' }
  await store.changeFactor(tx, id, { ...used, wrong_codes: 0, wrong_code_at: null })
  await countUserChange(tx, user)
  return { kind: 'right' }
}

/** What a right code changes; undefined if it is wrong. */
const usedBy = (
  { kind, code }: ReturnType<typeof readCode>,
  { factor, secret, nowMs }: { factor: SecondFactorRow; secret: string; nowMs: number },
): Pick<SecondFactorRow, 'last_step' | 'recovery_macs'> | undefined => {
  const { last_step, recovery_macs } = factor
  if (kind === 'totp') {
    const step = stepOfCode(secret, code, { nowMs, lastStep: last_step })
    return step === undefined ? undefined : { last_step: step, recovery_macs }
  }
  const mac = kind === 'recovery' ? recoveryMac(secret, code) : ''
  const others = recovery_macs.filter((one) => one !== mac)
  return others.length === recovery_macs.length ? undefined : { last_step, recovery_macs: others }
}

const wrongCodesOf = ({ wrong_codes, wrong_code_at: at }: SecondFactorRow, nowMs: number) =>
  at === null || Date.parse(at) < nowMs - limits.wrongCodesForgottenMs ? 0 : wrong_codes

const waitLeftMs = (factor: SecondFactorRow, nowMs: number): number => {
  const waitMs = waitAfterWrongCodesMs(wrongCodesOf(factor, nowMs))
  return waitMs === 0 ? 0 : Date.parse(factor.wrong_code_at!) + waitMs - nowMs
}

const isOn = (): Refusal =>
  refuse('conflict', 'The second factor is turned on already. Turn it off first.', {
    reason: 'second_factor_on',
  })

export const isOff = (message: string): Refusal =>
  refuse('conflict', message, { reason: 'second_factor_off' })

const wrongFirstCode = (): Refusal =>
  invalidRequest({
    param: '/code',
    code: 'invalid_value',
    message: 'This is not a code that the app shows now.',
    fix: 'send the six digits that it shows, and check the clock of the device',
  })
