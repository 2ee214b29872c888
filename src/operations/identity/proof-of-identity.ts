/** A signed-in person shows again who it is, by the password or the second factor. */
import type { Call } from '../../context.ts'
import { invalidRequest, refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { IdentityProof } from '../../contract/shapes/sessions.ts'
import { requireSecondFactor } from '../../changes/identity/second-factor-check.ts'
import { isOff } from '../../changes/identity/second-factors.ts'
import { userByPassword } from '../../changes/identity/sessions.ts'
import { databaseNow } from '../../database/database-clock.ts'
import { type UserWithFactor, userWithFactor } from '../../store/identity/second-factors.ts'
import { sessionById } from '../../store/identity/sessions.ts'
import { countFailures, factorCheckFor, sessionOf } from './sessions.ts'

export const ownFactor = async (call: Call): Promise<UserWithFactor> =>
  (await userWithFactor(call.read, sessionOf(call).user.id))!

/** Exactly one of the two; which one, the caller has decided before. */
export const checkProof = async (
  call: Call,
  { password, totp }: IdentityProof,
  { factorOnly }: { factorOnly: boolean },
): Promise<void> => {
  const { user } = await ownFactor(call)
  if ((password === undefined) === (totp === undefined)) throw notOneProof()
  if (user.second_factor_since === null && totp !== undefined) {
    throw isOff('You have no second factor: send the password.')
  }
  const isByFactor = totp !== undefined || (factorOnly && user.second_factor_since !== null)
  await (isByFactor
    ? countFailures(call.context, () =>
        requireSecondFactor(factorCheckFor(call.context, call), user, { code: totp }),
      )
    : checkPassword(call, password!))
}

export const checkPassword = async (call: Call, password: string): Promise<void> => {
  const { user } = sessionOf(call)
  const { address, context, organization } = call
  await countFailures(context, () =>
    userByPassword(call.read, {
      ...{ email: user.email, password, address },
      requester: { organization: organization.id },
    }),
  )
}

/** Refuses a session whose user signed in, or stepped up, too long ago. */
export const checkRecentSignIn = async (call: Call): Promise<void> => {
  const { id } = sessionOf(call)
  const { authenticated_at } = (await sessionById(call.read, id))!
  const now = Date.parse(await databaseNow(call.read))
  if (Date.parse(authenticated_at) > now - limits.browserStepUpMs) return
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
    fix: 'send either password or totp',
  })
