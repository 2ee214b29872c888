/** `POST /auth/invitations/accept`: whoever has the token of an invitation becomes a member. */
import { Type } from 'typebox'
import { refuseProblems } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { InputObject } from '../../contract/shapes/objects.ts'
import { NonBlankLine, Text } from '../../contract/shapes/field-types.ts'
import { PasskeyAnswer } from '../../contract/shapes/passkeys.ts'
import { OpenedSession, clientField, secondFactorCode } from '../../contract/shapes/sessions.ts'
import { acceptInvitation, pendingInvitation } from '../../changes/identity/member-invitations.ts'
import { requireSecondFactor } from '../../changes/identity/second-factor-check.ts'
import { hashInTurn, userByPassword } from '../../changes/identity/sessions.ts'
import { normalizeEmail } from '../../core/identity/email-addresses.ts'
import { userByEmail } from '../../store/identity/users.ts'
import { operation } from '../operation.ts'
import { siteOf } from './passkey-site.ts'
import {
  countFailures,
  factorCheckFor,
  openedReply,
  sessionOriginOf,
  writeFor,
} from './sessions.ts'

const Acceptance = InputObject(
  {
    token: Text(limits.passwordMaxLength, 'The token of the invitation.', 1),
    password: Text(
      limits.passwordMaxLength,
      `The password of the user; for a new user the one to have from now on, of at least ${limits.passwordMinLength} characters.`,
      1,
    ),
    name: Type.Optional(
      NonBlankLine(limits.organizationNameMaxLength, 'The name of a new user; required for one.'),
    ),
    totp: Type.Optional(secondFactorCode),
    passkey: Type.Optional(PasskeyAnswer),
    ...clientField,
  },
  'The acceptance of an invitation.',
)

export const accept = operation({
  id: 'invitation.accept',
  method: 'POST',
  path: '/auth/invitations/accept',
  summary: 'Accept an invitation and sign in',
  description:
    'Makes the invited person a member and returns a session. Somebody who is a user already sends the password, with `totp` or `passkey` if a second factor is turned on; a new user sends a name and chooses a password.',
  since: '1.16.0',
  allowed: 'public',
  body: Acceptance,
  response: OpenedSession,
  status: 201,
  errors: ['unauthorized', 'capability_unavailable', 'conflict'],
  showsSecret: true,
  isUnversioned: true,
}).answersPublic(async (context, { body }, from) => {
  const { token, password, name, totp, client, passkey: answer } = body
  const { address, requester, requestId } = from
  const { read } = context.database
  const write = writeFor(context, from)
  const entry = { client, origin: sessionOriginOf(from), requestId }
  const signedIn = await countFailures(context, async () => {
    const email = normalizeEmail((await pendingInvitation(read, token)).email)
    const isNew = (await userByEmail(read, email)) === undefined
    if (isNew) {
      checkNewUser(body)
      const who = { name: name!, passwordHash: await hashInTurn(requester, password) }
      return write((tx) => acceptInvitation(tx, token, who, entry))
    }
    const check = factorCheckFor(context, from)
    const user = await userByPassword(check, { email, password, address, requester })
    const passkey = answer && { site: siteOf(context), answer }
    await requireSecondFactor(check, user, { code: totp, passkey })
    return write((tx) => acceptInvitation(tx, token, { id: user.id }, entry))
  })
  return openedReply(context, signedIn, from)
})

const checkNewUser = ({ name, password }: { name?: string; password: string }): void => {
  const message = 'A new user needs a name.'
  const fix = 'send name'
  const length = `Must have at least ${limits.passwordMinLength} characters.`
  const problems = [
    ...(name === undefined ? [{ param: '/name', code: 'required', message, fix } as const] : []),
    ...(password.length < limits.passwordMinLength
      ? [
          {
            param: '/password',
            code: 'invalid_value',
            message: length,
            fix: 'send a longer one',
          } as const,
        ]
      : []),
  ]
  refuseProblems(problems)
}
