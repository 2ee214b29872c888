/** SERVER_KEY and, during a rekey, SERVER_KEY_PREVIOUS. */
import { type Environment, SettingError } from './setting.ts'

export const serverKeyMinLength = 32

export interface ServerKeysSetting {
  serverKey: string | undefined
  previousServerKey: string | undefined
}

export const serverKeysOf = (env: Environment, isRequired: boolean): ServerKeysSetting => {
  const serverKey = env['SERVER_KEY'] || undefined
  if (serverKey !== undefined && serverKey.length < serverKeyMinLength) {
    throw new SettingError('SERVER_KEY', '…', `at least ${serverKeyMinLength} random characters`)
  }
  if (isRequired && serverKey === undefined) {
    throw new SettingError(
      'SERVER_KEY',
      '',
      `at least ${serverKeyMinLength} characters, the same for every process that shares DATABASE_URL` +
        ' (create one: openssl rand -base64 32)',
    )
  }
  const previousServerKey = env['SERVER_KEY_PREVIOUS'] || undefined
  const isTooShort = (previousServerKey?.length ?? Infinity) < serverKeyMinLength
  if (isTooShort || (previousServerKey !== undefined && serverKey === undefined)) {
    throw new SettingError(
      'SERVER_KEY_PREVIOUS',
      '…',
      'the server key before SERVER_KEY, during a rekey',
    )
  }
  return { serverKey, previousServerKey }
}
