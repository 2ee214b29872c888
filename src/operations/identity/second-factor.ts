/**
 * The second factor of the signed-in person (console 2.5): codes of an authenticator app, and
 * recovery codes for the day on which it is lost.
 */
import { recentSignInMinutes } from '../../core/identity/recent-sign-in.ts'
import { limits } from '../../contract/limits.ts'
import { IdentityProof } from '../../contract/shapes/sessions.ts'
import {
  ConfirmedTotp,
  SecondFactor,
  StartedTotp,
  TotpConfirmation,
  TotpStart,
} from '../../contract/shapes/second-factor.ts'
import {
  confirmSecondFactor,
  removeSecondFactor,
  startSecondFactor,
  stateOf,
} from '../../changes/identity/second-factors.ts'
import { operation } from '../operation.ts'
import {
  checkPassword,
  checkProofOfIdentity,
  checkRecentSignIn,
  ownFactor,
} from './proof-of-identity.ts'
import { sessionOf } from './current-session.ts'

const defaults = { since: '1.16.0', isUnversioned: true, allowed: 'any' } as const

export const start = operation({
  ...defaults,
  id: 'totp.start',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/totp',
  summary: 'Begin to turn on a second factor',
  description: `Returns a secret for an authenticator app, once. It is asked for only after \`POST /auth/totp/confirm\`. Needs a sign-in of the last ${recentSignInMinutes} minutes, or the password. A secret that was not confirmed is replaced.`,
  body: TotpStart,
  response: StartedTotp,
  errors: ['insufficient_scope', 'conflict'],
  showsSecret: true,
}).callsOut(async (call, { body }) => {
  const { user } = sessionOf(call)
  await (body.password === undefined ? checkRecentSignIn(call) : checkPassword(call, body.password))
  const { secondFactors } = call.context.keyring
  return async (tx) => {
    const started = await startSecondFactor(tx, secondFactors, user.id)
    return { body: call.dryRun ? { secret: null, otpauth_url: null } : started }
  }
})

export const confirm = operation({
  ...defaults,
  id: 'totp.confirm',
  workClass: 'credentials',
  method: 'POST',
  path: '/auth/totp/confirm',
  summary: 'Turn on the second factor',
  description: `Takes the first code of the app and returns ${limits.recoveryCodes} recovery codes, once. From then on, every sign-in needs a code.`,
  body: TotpConfirmation,
  response: ConfirmedTotp,
  errors: ['insufficient_scope', 'conflict'],
  showsSecret: true,
}).transacts(async (tx, call, { body }) => {
  const { user } = sessionOf(call)
  const { secondFactors } = call.context.keyring
  const confirmed = await confirmSecondFactor(tx, secondFactors, { id: user.id, code: body.code })
  return { body: call.dryRun ? { ...confirmed, recovery_codes: null } : confirmed }
})

export const remove = operation({
  ...defaults,
  id: 'totp.remove',
  workClass: 'credentials',
  method: 'DELETE',
  path: '/auth/totp',
  summary: 'Turn off the second factor',
  description:
    'Takes a code of the app, a recovery code, a passkey or the password. The recovery codes end with it; passkeys stay. Returns its last record.',
  body: IdentityProof,
  response: SecondFactor,
  errors: ['insufficient_scope', 'conflict'],
}).callsOut(async (call, { body }) => {
  const { user } = sessionOf(call)
  await checkProofOfIdentity(call, body, { factorOnly: false })
  return async (tx) => ({ body: await removeSecondFactor(tx, user.id) })
})

export const recoveryCodes = operation({
  ...defaults,
  id: 'recovery_codes.get',
  method: 'GET',
  path: '/auth/recovery-codes',
  summary: 'Retrieve how many recovery codes are left',
  response: SecondFactor,
  errors: ['insufficient_scope'],
}).reads(async (call) => ({ body: stateOf(await ownFactor(call)) }))
