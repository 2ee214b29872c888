/** How the signed-in person wants the console (contract 12). */
import { Preferences, PreferencesUpdate } from '../../contract/shapes/preferences.ts'
import { currentPreferences, updatePreferences } from '../../changes/identity/preferences.ts'
import { operation } from '../operation.ts'

const preferencesDefaults = {
  path: '/v1/preferences',
  since: '1.16.0',
  allowed: 'session',
  response: Preferences,
} as const

export const get = operation({
  ...preferencesDefaults,
  id: 'preferences.get',
  method: 'GET',
  summary: 'Retrieve your preferences',
}).reads(async (call) => ({ body: await currentPreferences(call.read, call.credential.user!.id) }))

export const update = operation({
  ...preferencesDefaults,
  id: 'preferences.update',
  method: 'PATCH',
  summary: 'Change your preferences',
  description:
    'They hold for you in every organization and on every device. Notices go out by e-mail where the deployment has a mail server; invitations always do.',
  body: PreferencesUpdate,
}).transacts(async (tx, call, { body }) => ({
  body: await updatePreferences(tx, call.credential.user!.id, body),
}))
