/** WEBHOOK_ALLOW_PRIVATE and WEBHOOK_RETRY_SCHEDULE. */
import { limits } from '../contract/limits.ts'
import { isLoopback } from '../core/identity/ip-addresses.ts'
import type { Reach } from '../core/webhooks/endpoint-url.ts'
import {
  type Environment,
  SettingError,
  booleanOf,
  durationFormat,
  parseDuration,
} from './setting.ts'

/** By default a receiver may be on this machine where everything else is (contract 12). */
export const webhookReachOf = (env: Environment, baseUrl: string): Reach => {
  if (booleanOf(env, 'WEBHOOK_ALLOW_PRIVATE')) return 'private'
  const others = [env['WEBHOOK_ALLOW_PRIVATE'], env['DATABASE_URL'], env['TRUSTED_PROXIES']]
  const host = new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
  return others.every((value) => !value) && isLoopback(host) ? 'loopback' : 'public'
}

export const retryDelaysOf = (env: Environment): number[] => {
  const name = 'WEBHOOK_RETRY_SCHEDULE'
  const value = env[name] || '1m,5m,30m,2h,8h'
  const delays = value.split(',').map((part) => parseDuration(part.trim()))
  if (delays.length !== limits.webhookAttemptsMax - 1 || delays.includes(undefined)) {
    throw new SettingError(name, value, durationFormat('five durations such as 1m,5m,30m,2h,8h'))
  }
  return delays as number[]
}
