/** DEV_MAIL: how a sign-in link that somebody asks for reaches them. */
import { type Environment, SettingError, isDevelopment, isOnThisMachine, oneOf } from './setting.ts'

/** Null: links come from operators alone. */
export type MagicLink = 'smtp' | 'console' | null

/** Links are printed only where whoever reads the output is who develops on this machine. */
export const magicLinkOf = (env: Environment, baseUrl: string): MagicLink => {
  const byDefault = isDevelopment(env, baseUrl) ? 'console' : 'off'
  const choice = oneOf(env, 'DEV_MAIL', ['console', 'off'], byDefault)
  if (choice === 'console' && !isOnThisMachine(baseUrl)) {
    throw new SettingError('DEV_MAIL', choice, 'only where BASE_URL is this machine')
  }
  if (env['SMTP_URL']) return 'smtp'
  return choice === 'console' ? 'console' : null
}
