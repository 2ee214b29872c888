/** The second factor of the signed-in person, outside of the versioned contract (console 2.5). */
import { Type } from 'typebox'
import { limits } from '../limits.ts'
import { Nullable, Text, Timestamp } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

export const TotpStart = InputObject(
  {
    password: Type.Optional(
      Text(limits.passwordMaxLength, 'The password of the user, if the sign-in is not recent.', 1),
    ),
  },
  'The beginning of a second factor.',
)

export const StartedTotp = OutputObject(
  {
    secret: Nullable(
      Type.String({ description: 'To type into the app. Returned only once. Null in a dry run.' }),
    ),
    otpauth_url: Nullable(
      Type.String({ description: 'The same as an address, for a link or a QR code.' }),
    ),
  },
  'A secret that is not asked for yet.',
)

export const TotpConfirmation = InputObject(
  { code: Text(limits.secondFactorCodeMaxLength, 'The six digits that the app shows.', 1) },
  'The first code of the app.',
)

const state = {
  enabled_at: Nullable(Timestamp('Since when it is asked for; null without a second factor.')),
  recovery_codes_left: Type.Integer({ description: 'How many recovery codes are unused.' }),
}

export const SecondFactor = OutputObject(state, 'The second factor of the user.')

export const ConfirmedTotp = OutputObject(
  {
    ...state,
    recovery_codes: Nullable(
      Type.Array(Type.String(), {
        description:
          'Each works once in place of a code of the app. Returned only once. Null in a dry run.',
      }),
    ),
  },
  'The second factor with its recovery codes.',
)
