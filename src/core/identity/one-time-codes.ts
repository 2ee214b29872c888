/**
 * The codes of a second factor: those of an authenticator app (RFC 6238 with its defaults, which
 * every app knows: SHA-1, six digits, 30 seconds), and recovery codes.
 */
import { createHmac } from 'node:crypto'
import { ScureBase32Plugin, generateURI, verifySync } from 'otplib'
import { limits } from '../../contract/limits.ts'

const stepSeconds = 30

/** As apps show it and take it. */
export const formatSecret = (bytes: Buffer): string =>
  new ScureBase32Plugin().encode(bytes, { padding: false })

/** What a QR code for an app contains. */
export const otpauthUrl = (secret: string, email: string): string =>
  generateURI({ issuer: 'Document Exchange', label: email, secret })

/**
 * The time step of a code that is right at this time, within one step before or after it; undefined
 * if it is wrong, or not newer than the last one that was used.
 */
export const stepOfCode = (
  secret: string,
  code: string,
  { nowMs, lastStep }: { nowMs: number; lastStep: bigint },
): bigint | undefined => {
  const epoch = Math.floor(nowMs / 1000)
  const newestStep = Math.floor(epoch / stepSeconds) + 1
  const afterTimeStep = Math.min(Number(lastStep), newestStep)
  const result = verifySync({
    secret,
    token: code,
    epoch,
    epochTolerance: stepSeconds,
    afterTimeStep,
  })
  return result.valid && 'timeStep' in result ? BigInt(result.timeStep) : undefined
}

/** A code as a person types it, without the spaces and hyphens. */
export const readCode = (text: string): { kind: 'totp' | 'recovery' | 'none'; code: string } => {
  const code = text.replaceAll(/[\s-]/g, '').toLowerCase()
  if (/^\d{6}$/.test(code)) return { kind: 'totp', code }
  const isRecovery = /^[0-9a-f]*$/.test(code) && code.length === limits.recoveryCodeBytes * 2
  return { kind: isRecovery ? 'recovery' : 'none', code }
}

/** '9f04c-11ab2-…' */
export const formatRecoveryCode = (bytes: Buffer): string =>
  bytes
    .toString('hex')
    .match(/.{1,5}/g)!
    .join('-')

/** What is stored of a recovery code: nobody without the secret of its user can make one up. */
export const recoveryMac = (secret: string, code: string): string =>
  createHmac('sha256', secret).update(`recovery code ${code}`).digest('hex')

/** How long an account waits after so many wrong codes in a row. */
export const waitAfterWrongCodesMs = (wrongCodes: number): number => {
  const beyond = wrongCodes - limits.wrongCodesFree
  if (beyond < 0) return 0
  return Math.min(limits.wrongCodeFirstWaitMs * 2 ** beyond, limits.wrongCodeWaitMaxMs)
}
