/** Sign-in links that people ask for (console 2.5). */
import { type Static, Type } from 'typebox'
import { limits } from '../limits.ts'
import { EmailAddress, Id, StringEnum, Text } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'
import { clientField, secondFactorCode } from './sessions.ts'

export const LinkRequest = InputObject(
  { email: EmailAddress('The e-mail address of the user.') },
  'Who wants to sign in.',
)

export const RequestedLink = OutputObject(
  {
    delivery: StringEnum(['smtp', 'console'], 'How the link reaches the user.'),
    expires_in: Type.Integer({ description: 'How many seconds it works, from now.' }),
  },
  'A request for a link. It says nothing about whether there is such a user.',
)
export type RequestedLink = Static<typeof RequestedLink>

export const LinkRedemption = InputObject(
  {
    token: Text(limits.passwordMaxLength, 'The token of the link: what follows `#t=`.', 1),
    totp: Type.Optional(secondFactorCode),
    organization_id: Type.Optional(
      Id('org', 'The organization; by default the one last used, else a sandbox.'),
    ),
    ...clientField,
  },
  'A one-time link.',
)
