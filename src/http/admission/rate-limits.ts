/**
 * How much a caller may ask for (specification 8), per process: a window per policy and caller,
 * counted in memory, shown on every answer in the IETF headers. Several processes admit that many
 * each; the deployment's total is the sum.
 */
import type { RatePolicy } from '../../config.ts'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'

export interface RateLimits {
  /** Counts one call of a key, a session or an address. */
  count(kind: string, id: string): RateLimitStatus
  /** The value of RateLimit-Policy. */
  readonly policyHeader: string
}

export interface RateLimitStatus {
  /** The value of RateLimit. */
  header: string
  /** Why the call is refused, if it is. */
  refusal: Error | undefined
}

interface RateWindow {
  endsAt: number
  used: number
}

export const openRateLimits = (
  policies: readonly RatePolicy[],
  enforced: boolean,
  now: () => number = () => performance.now(),
): RateLimits => {
  /** By kind, then by id: no text is put together to look one up. */
  const callers = new Map<string, Map<string, RateWindow[]>>()
  const policyHeader = policies
    .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
    .join(',')

  const ofKind = (kind: string): Map<string, RateWindow[]> => {
    let same = callers.get(kind)
    if (same === undefined) callers.set(kind, (same = new Map()))
    return same
  }
  const windowsOf = (kind: string, id: string, at: number): RateWindow[] => {
    const same = ofKind(kind)
    let windows = same.get(id)
    if (windows === undefined) {
      if (same.size >= limits.rateLimitSweepCallers) sweep(same, at)
      windows = policies.map(() => ({ endsAt: 0, used: 0 }))
      same.set(id, windows)
    }
    return windows
  }
  const sweep = (same: Map<string, RateWindow[]>, at: number) => {
    for (const [id, windows] of same) {
      if (windows.every((window) => window.endsAt <= at)) same.delete(id)
    }
  }
  return {
    policyHeader,
    count: (kind, id) => {
      const at = now()
      const windows = windowsOf(kind, id, at)
      let header = ''
      let exceeded: { policy: RatePolicy; seconds: number } | undefined
      for (let i = 0; i < policies.length; i += 1) {
        const rule = policies[i]!
        const window = windows[i]!
        if (window.endsAt <= at) {
          window.endsAt = at + rule.windowSeconds * 1000
          window.used = 0
        }
        window.used += 1
        const seconds = Math.max(1, Math.ceil((window.endsAt - at) / 1000))
        const left = Math.max(0, rule.limit - window.used)
        header += `${i === 0 ? '' : ','}"${rule.name}";r=${left};t=${seconds}`
        if (window.used > rule.limit) exceeded = { policy: rule, seconds }
      }
      const refusal = enforced && exceeded !== undefined ? rateLimited(exceeded) : undefined
      return { header, refusal }
    },
  }
}

const rateLimited = ({ policy, seconds }: { policy: RatePolicy; seconds: number }): Error =>
  refuse(
    'rate_limited',
    `More than ${policy.limit} requests in ${policy.windowSeconds} s. Send this one again in ${seconds} s.`,
    {
      policy: policy.name,
      limit: policy.limit,
      window_seconds: policy.windowSeconds,
      retry_after_seconds: seconds,
    },
    { retryAfterSeconds: seconds },
  )
