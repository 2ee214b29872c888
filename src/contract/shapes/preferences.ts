/** How a person wants the console (contract 12). */
import { type Static, type TBoolean, type TOptional, Type } from 'typebox'
import { interopLimits } from '../interop-limits.ts'
import { type MemberNotice, memberNoticeNames, memberNotices } from '../notices.ts'
import { Line, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

const choices = {
  theme: StringEnum(['system', 'light', 'dark'], 'The colours; `system` follows the device.'),
  density: StringEnum(['comfortable', 'compact'], 'How much room the rows of a table have.'),
  time_zone: Nullable(
    Line(interopLimits.timeZoneMaxLength, 'An IANA name; null follows the device.'),
  ),
}

const noticeFields = Object.fromEntries(
  memberNoticeNames.map((name) => [name, Type.Boolean({ description: memberNotices[name].about })]),
) as Record<MemberNotice, TBoolean>

const optionalNotices = Object.fromEntries(
  memberNoticeNames.map((name) => [name, Type.Optional(noticeFields[name])]),
) as Record<MemberNotice, TOptional<TBoolean>>

const noticesDescription =
  'Which notices the person gets by e-mail, where the deployment sends any. All of them by default.'

/** What a person has done with programs of their own, which no record of the service can show. */
const markedSteps = {
  signature_verified: Type.Boolean({
    description: 'A program of the person has verified the signature of a webhook.',
  }),
  proof_verified: Type.Boolean({ description: 'The person has verified a proof.' }),
}

const firstStepsDescription = 'The first steps in the console that the person has marked as done.'

export const Preferences = OutputObject(
  {
    ...choices,
    notices: OutputObject(noticeFields, noticesDescription),
    first_steps: OutputObject(markedSteps, firstStepsDescription),
    updated_at: Nullable(Timestamp('Null until the person has chosen something.')),
  },
  'How the signed-in person wants the console, for all organizations.',
)
export type Preferences = Static<typeof Preferences>
export type Choices = Omit<Preferences, 'updated_at'>

export const PreferencesUpdate = InputObject(
  {
    theme: Type.Optional(choices.theme),
    density: Type.Optional(choices.density),
    time_zone: Type.Optional(choices.time_zone),
    notices: Type.Optional(
      InputObject(optionalNotices, `${noticesDescription} What is left out stays as it is.`),
    ),
    first_steps: Type.Optional(
      InputObject(
        {
          signature_verified: Type.Optional(markedSteps.signature_verified),
          proof_verified: Type.Optional(markedSteps.proof_verified),
        },
        `${firstStepsDescription} What is left out stays as it is.`,
      ),
    ),
  },
  'What the person chooses anew.',
)
export type PreferencesUpdate = Static<typeof PreferencesUpdate>
