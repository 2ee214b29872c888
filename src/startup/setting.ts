/** Parsers for the kinds of values that several settings share, and the error for all of them. */
import { hostOf, isLoopback } from '../core/identity/ip-addresses.ts'

/** A setting has a value that cannot be used. */
export class SettingError extends Error {
  constructor(name: string, value: string, accepted: string) {
    const oneLine = value.replaceAll(/[\r\n]+/g, '⏎')
    super(`${name}=${oneLine} cannot be used: ${accepted}`)
    this.name = 'SettingError'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export const portOf = (env: Environment, name: string): number | undefined => {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  const port = Number(value)
  if (!/^\d{1,5}$/.test(value) || port > 65_535) {
    throw new SettingError(name, value, 'a number from 0 to 65535 (0 = any free port)')
  }
  return port
}

export const booleanOf = (env: Environment, name: string, fallback: '0' | '1' = '0'): boolean =>
  oneOf(env, name, ['0', '1'] as const, fallback) === '1'

export const oneOf = <const T extends string>(
  env: Environment,
  name: string,
  accepted: readonly T[],
  fallback: T,
): T => {
  const value = env[name] || fallback
  const match = accepted.find((one) => one === value)
  if (match === undefined) throw new SettingError(name, value, `one of ${accepted.join(', ')}`)
  return match
}

/** Whether whoever uses the service develops on this machine, where nothing serves others. */
export const isDevelopment = (env: Environment, baseUrl: string): boolean =>
  isOnThisMachine(baseUrl) && !env['DATABASE_URL'] && !env['TRUSTED_PROXIES']

export const isOnThisMachine = (url: string): boolean => isLoopback(hostOf(new URL(url)))

const durationMaxDays = 3_650

/** The upper bound keeps every resulting time representable. */
export const durationFormat = (examples: string): string =>
  `${examples}, at most ${durationMaxDays}d`

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const durationOf = (env: Environment, name: string, fallback: string): number => {
  const value = env[name] || fallback
  const duration = parseDuration(value)
  if (duration === undefined) {
    throw new SettingError(name, value, durationFormat('a duration such as 24h, 90s or 500ms'))
  }
  return duration
}

/** A duration of something that 0 would switch off. */
export const lastingDurationOf = (env: Environment, name: string, fallback: string): number => {
  const duration = durationOf(env, name, fallback)
  if (duration > 0) return duration
  throw new SettingError(name, env[name]!, durationFormat('more than 0, such as 24h, 90s or 500ms'))
}

export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  const ms = match === null ? Infinity : Number(match[1]) * unitMs[match[2]!]!
  return ms <= durationMaxDays * unitMs['d']! ? ms : undefined
}
