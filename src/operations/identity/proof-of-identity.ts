/** A signed-in person proves their identity again, by the password, a code or a passkey. */
import type { Call } from '../../context.ts'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import type { IdentityProof } from '../../contract/shapes/sessions.ts'
import { requirePasskey, requireSecondFactor } from '../../changes/identity/second-factor-check.ts'
import { isOff } from '../../changes/identity/second-factors.ts'
import { userByPassword } from '../../changes/identity/sessions.ts'
import { isRecentSignIn } from '../../core/identity/recent-sign-in.ts'
import {
  type UserWithFactor,
  isConfirmed,
  userWithFactor,
} from '../../store/identity/second-factors.ts'
import { sessionById } from '../../store/identity/sessions.ts'
import { siteOf } from './passkey-site.ts'
import { countFailures, factorCheckFor } from './sessions.ts'
import { checkIsPerson, sessionOf } from './current-session.ts'

export const ownFactor = async (call: Call): Promise<UserWithFactor> =>
  (await userWithFactor(call.read, sessionOf(call).user.id))!

/** Exactly one of the three; which one is enough, the caller has decided before. */
export const checkProofOfIdentity = async (
  call: Call,
  { password, totp, passkey }: IdentityProof,
  { factorOnly }: { factorOnly: boolean },
): Promise<void> => {
  const { user, factor } = await ownFactor(call)
  const proofs = [password, totp, passkey].filter((proof) => proof !== undefined)
  if (proofs.length !== 1) throw notOneProof()
  if (totp !== undefined && !isConfirmed(factor)) {
    throw isOff('You have no app that shows codes: send the password, or a passkey.')
  }
  const hasFactor = user.second_factor_since !== null
  if (password !== undefined && !(factorOnly && hasFactor)) return checkPassword(call, password)
  const check = factorCheckFor(call.context, call)
  const shown = passkey && { site: siteOf(call.context), answer: passkey }
  await countFailures(call.context, () =>
    shown === undefined
      ? requireSecondFactor(check, user, { code: totp })
      : requirePasskey(check, user, shown),
  )
}

export const checkPassword = async (call: Call, password: string): Promise<void> => {
  const { user } = sessionOf(call)
  const { address, context, organization } = call
  await countFailures(context, () =>
    userByPassword(factorCheckFor(context, call), {
      email: user.email,
      password,
      address,
      requester: { organization: organization.id },
    }),
  )
}

/** Refuses a session whose user signed in, or stepped up, too long ago. */
export const checkRecentSignIn = async (call: Call): Promise<void> => {
  const { id } = sessionOf(call)
  const session = (await sessionById(call.read, id))!
  checkIsPerson(session, call)
  if (isRecentSignIn(call.credential.authenticatedAgeMs!)) return
  throw refuse(
    'forbidden',
    'This needs a recent sign-in: send the password with it, or call POST /auth/session/step-up before.',
    { address: call.address, reason: 'step_up_required' },
  )
}

const notOneProof = () =>
  invalidRequest({
    param: '/password',
    code: 'invalid_value',
    message: 'Show who you are by the password, or by the second factor.',
    fix: 'send one of password, totp and passkey',
  })
