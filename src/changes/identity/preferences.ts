/** Reads and changes what a person has chosen (contract 12). */
import { invalidRequest } from '../../contract/errors.ts'
import type { Choices, Preferences, PreferencesUpdate } from '../../contract/shapes/preferences.ts'
import { isTimeZone } from '../../core/identity/organization-profile.ts'
import { databaseNow } from '../../database/database-clock.ts'
import type { Queryable } from '../../database/sql.ts'
import * as store from '../../store/identity/preferences.ts'

const initial: Choices = {
  theme: 'system',
  density: 'comfortable',
  time_zone: null,
  notices: {
    approval_wanted: true,
    payment_failed: true,
    endpoint_failing: true,
    key_expiring: true,
  },
  first_steps: { signature_verified: false, proof_verified: false },
}

/** What is chosen, over what was chosen before. */
const withUpdate = (before: Choices, update: PreferencesUpdate): Choices => ({
  ...before,
  ...update,
  notices: { ...before.notices, ...update.notices },
  first_steps: { ...before.first_steps, ...update.first_steps },
})

const preferencesIn = (row: store.PreferencesRow | undefined): Preferences => ({
  ...withUpdate(initial, row === undefined ? {} : (JSON.parse(row.preferences) as Choices)),
  updated_at: row?.updated_at ?? null,
})

export const currentPreferences = async (db: Queryable, user: string): Promise<Preferences> =>
  preferencesIn(await store.preferencesOf(db, user))

export const updatePreferences = async (
  tx: Queryable,
  user: string,
  update: PreferencesUpdate,
): Promise<Preferences> => {
  if (update.time_zone != null && !isTimeZone(update.time_zone)) {
    throw invalidRequest({
      param: '/time_zone',
      code: 'invalid_value',
      message: 'This is not a time zone of the IANA database.',
      fix: 'send a name like Europe/Berlin',
    })
  }
  const row = await store.preferencesForUpdate(tx, user)
  if (Object.keys(update).length === 0) return preferencesIn(row)

  // From here the change must succeed.
  const { updated_at: _, ...before } = preferencesIn(row)
  const updated_at = await databaseNow(tx)
  const choices = withUpdate(before, update)
  const preferences = JSON.stringify(choices)
  await store.savePreferences(tx, row, { user_id: user, preferences, updated_at })
  return { ...choices, updated_at }
}
