/**
 * How much a caller may ask for (specification 8), per process: a window per policy and caller,
 * counted in memory, shown on every answer in the IETF headers. Several processes admit that many
 * each; the deployment's total is the sum.
 */
import type { RatePolicy } from '../config.ts'
import { refuse } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'

export interface Rates {
  /** Counts one call. */
  count(caller: string): Standing
  /** The value of RateLimit-Policy. */
  readonly policy: string
}

export interface Standing {
  /** The value of RateLimit. */
  header: string
  /** Why the call is refused, if it is. */
  refusal: Error | undefined
}

interface Window {
  endsAt: number
  used: number
}

export const openRates = (
  policies: readonly RatePolicy[],
  enforced: boolean,
  now: () => number = () => performance.now(),
): Rates => {
  const callers = new Map<string, Window[]>()
  const policy = policies
    .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
    .join(',')

  const windowsOf = (caller: string, at: number): Window[] => {
    let windows = callers.get(caller)
    if (windows === undefined) {
      if (callers.size >= limits.rateCallersBeforeSweep) sweep(at)
      windows = policies.map(() => ({ endsAt: 0, used: 0 }))
      callers.set(caller, windows)
    }
    return windows
  }
  const sweep = (at: number) => {
    for (const [caller, windows] of callers) {
      if (windows.every((window) => window.endsAt <= at)) callers.delete(caller)
    }
  }
  return {
    policy,
    count: (caller) => {
      const at = now()
      const windows = windowsOf(caller, at)
      let header = ''
      let exceeded: { policy: RatePolicy; seconds: number } | undefined
      policies.forEach((rule, i) => {
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
      })
      const refusal = enforced && exceeded !== undefined ? tooMany(exceeded) : undefined
      return { header, refusal }
    },
  }
}

const tooMany = ({ policy, seconds }: { policy: RatePolicy; seconds: number }): Error =>
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
