/** How a person wants the console (contract 12). */
import { type Static, Type } from 'typebox'
import { interopLimits } from '../interop-limits.ts'
import { Line, Nullable, StringEnum, Timestamp } from './field-types.ts'
import { InputObject, OutputObject } from './objects.ts'

const choices = {
  theme: StringEnum(['system', 'light', 'dark'], 'The colours; `system` follows the device.'),
  density: StringEnum(['comfortable', 'compact'], 'How much room the rows of a table have.'),
  time_zone: Nullable(
    Line(interopLimits.timeZoneMaxLength, 'An IANA name; null follows the device.'),
  ),
}

export const Preferences = OutputObject(
  { ...choices, updated_at: Nullable(Timestamp('Null until the person has chosen something.')) },
  'How the signed-in person wants the console, for all organizations.',
)
export type Preferences = Static<typeof Preferences>
export type Choices = Omit<Preferences, 'updated_at'>

export const PreferencesUpdate = InputObject(
  {
    theme: Type.Optional(choices.theme),
    density: Type.Optional(choices.density),
    time_zone: Type.Optional(choices.time_zone),
  },
  'What the person chooses anew.',
)
export type PreferencesUpdate = Static<typeof PreferencesUpdate>
