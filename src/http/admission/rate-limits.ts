/**
 * Rate limits (specification 8) of this process: one window per policy and caller, counted in
 * memory and shown in the IETF headers of every response. Each process admits its own share.
 */
import { LruMap as Lru } from 'toad-cache'
import type { RatePolicy } from '../../config.ts'
import { refuse } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'

export interface RateLimits {
  /** Counts one request of a key, a session or an address. */
  count(kind: string, id: string): RateLimitStatus
  /** The value of RateLimit-Policy. */
  readonly policyHeader: string
}

export interface RateLimitStatus {
  /** The value of RateLimit. */
  header: string
  /** Set when the request exceeds a window. */
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
  /** By kind, then by id. The least recently used windows make room for new ones. */
  const callers = new Map<string, Lru<RateWindow[]>>()
  const policyHeader = policies
    .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
    .join(',')

  const windowsOf = (kind: string, id: string): RateWindow[] => {
    let sameKind = callers.get(kind)
    if (sameKind === undefined) callers.set(kind, (sameKind = new Lru(limits.rateWindowsMax)))
    let windows = sameKind.get(id)
    if (windows === undefined) {
      windows = policies.map(() => ({ endsAt: 0, used: 0 }))
      sameKind.set(id, windows)
    }
    return windows
  }
  return {
    policyHeader,
    count: (kind, id) => {
      const at = now()
      const windows = windowsOf(kind, id)
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
