/** DEV_MAIL: how a sign-in link that somebody asks for reaches them. */
import { isLoopback } from '../core/identity/ip-addresses.ts'
import { type Environment, SettingError, oneOf } from './setting.ts'

/** Null: links come from operators alone. */
export type MagicLink = 'smtp' | 'console' | null

/** Links are printed only where whoever reads the output is who develops on this machine. */
export const magicLinkOf = (env: Environment, baseUrl: string): MagicLink => {
  const isLocal = isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, ''))
  const others = [env['DATABASE_URL'], env['TRUSTED_PROXIES']]
  const isDevelopment = isLocal && others.every((value) => !value)
  const choice = oneOf(env, 'DEV_MAIL', ['console', 'off'], isDevelopment ? 'console' : 'off')
  if (choice === 'console' && !isLocal) {
    throw new SettingError('DEV_MAIL', choice, 'only where BASE_URL is this machine')
  }
  if (env['SMTP_URL']) return 'smtp'
  return choice === 'console' ? 'console' : null
}
