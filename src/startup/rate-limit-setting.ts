/** Reads RATE_LIMITS: the windows of each caller, and those of an organization's keys together. */
import { limits } from '../contract/limits.ts'
import { type Environment, SettingError } from './setting.ts'

export interface RatePolicy {
  name: string
  limit: number
  windowSeconds: number
}

export interface RateLimitSettings {
  enforced: boolean
  /** For each key, session and network. */
  policies: readonly RatePolicy[]
  /** For all keys of an organization together, with windows of the same lengths. */
  organizationPolicies: readonly RatePolicy[]
}

const rateWindows = [
  { name: 'sec', windowSeconds: 1, limit: 100 },
  { name: 'min', windowSeconds: 60, limit: 3_000 },
] as const

/**
 * `off` (counts and shows the limits without enforcing them), `on`, or `sec=100,min=3000` for each
 * caller, with `org_sec=300,org_min=9000` for all keys of an organization together.
 */
export const rateLimitsOf = (env: Environment): RateLimitSettings => {
  const value = env['RATE_LIMITS'] || 'on'
  const given = new Map<string, number>()
  if (value !== 'on' && value !== 'off') {
    for (const part of value.split(',')) {
      const match = /^((?:org_)?(?:sec|min))=(\d{1,9})$/.exec(part.trim())
      if (match === null || match[2] === '0' || given.has(match[1]!)) {
        const examples = 'sec=100,min=3000 or org_sec=300,org_min=9000'
        throw new SettingError(
          'RATE_LIMITS',
          value,
          `on, off, or limits, each once, such as ${examples}`,
        )
      }
      given.set(match[1]!, Number(match[2]))
    }
  }
  const policies = rateWindows.map((window) => ({
    ...window,
    limit: given.get(window.name) ?? window.limit,
  }))
  const organizationPolicies = policies.map(({ name, limit, windowSeconds }) => ({
    name: 'org',
    limit: given.get(`org_${name}`) ?? limit * limits.organizationRateFactor,
    windowSeconds,
  }))
  return { enforced: value !== 'off', policies, organizationPolicies }
}
