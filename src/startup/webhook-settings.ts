/** WEBHOOK_ALLOW_PRIVATE and WEBHOOK_RETRY_SCHEDULE. */
import { limits } from '../contract/limits.ts'
import type { Reach } from '../core/webhooks/endpoint-url.ts'
import {
  type Environment,
  SettingError,
  booleanOf,
  durationFormat,
  isDevelopment,
  parseDuration,
} from './setting.ts'

/** By default a receiver may be on this machine where everything else is (contract 12). */
export const webhookReachOf = (env: Environment, baseUrl: string): Reach => {
  if (booleanOf(env, 'WEBHOOK_ALLOW_PRIVATE')) return 'private'
  const isUnset = !env['WEBHOOK_ALLOW_PRIVATE']
  return isUnset && isDevelopment(env, baseUrl) ? 'loopback' : 'public'
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
