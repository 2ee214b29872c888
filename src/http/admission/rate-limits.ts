/**
 * Rate limits (specification 8) of this process, counted in memory and shown in the IETF headers of
 * every response. A caller has one window per policy, and so have all keys of an organization
 * together. Each process admits its own share.
 *
 * Invariants: a request costs the same however many callers there are; a kind of callers has at
 * most `rateWindowsMax` of them, and the least recently used make room for new ones. A caller whose
 * windows are dropped starts with fresh ones: that never refuses anybody, and to be forgotten while
 * a limit holds takes requests from as many others (docs/decisions/0044).
 */
import { LruMap as Lru } from 'toad-cache'
import type { Config } from '../../config.ts'
import { rateLimited } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { wholeSeconds } from '../../core/dates.ts'

export interface RateLimits {
  /**
   * Counts one request of a key, a session or a network. With an organization, also in the windows
   * that it has for all callers of this kind.
   */
  count(kind: string, id: string, organization?: string): RateLimitStatus
}

export interface RateLimitStatus {
  /** The value of RateLimit-Policy: for each length of window, the limit with the least left. */
  policyHeader: string
  /** The value of RateLimit. */
  header: string
  /** Set when the request exceeds a window. */
  refusal: Error | undefined
}

type RatePolicy = Config['rateLimits']['policies'][number]

interface RateWindow {
  policy: RatePolicy
  endsAt: number
  used: number
}

export const openRateLimits = (
  { enforced, policies, organizationPolicies }: Config['rateLimits'],
  now: () => number = () => performance.now(),
): RateLimits => {
  const windows = {
    callers: openWindows(policies),
    organizations: openWindows(organizationPolicies),
  }
  const policyHeader = policyHeaderOf(policies)
  return {
    count: (kind, id, organization) => {
      // Whole milliseconds: with fractions, a window of a second could have 2 s left.
      const at = Math.trunc(now())
      const own = windows.callers(kind, id)
      const refused = countIn(own, at)
      // A refused request costs the organization's other keys nothing.
      const shared =
        organization === undefined || (enforced && refused !== undefined)
          ? undefined
          : windows.organizations(kind, organization)
      const exceeded = refused ?? (shared === undefined ? undefined : countIn(shared, at))
      const refusal = enforced && exceeded !== undefined ? tooManyRequests(exceeded, at) : undefined
      if (shared === undefined) return { policyHeader, header: headerOf(own, at), refusal }
      const shown: RateWindow[] = []
      let isOwn = true
      for (let i = 0; i < own.length; i += 1) {
        const isTighter = leftIn(shared[i]!) < leftIn(own[i]!)
        if (isTighter) isOwn = false
        shown.push(isTighter ? shared[i]! : own[i]!)
      }
      const policyShown = isOwn ? policyHeader : policyHeaderOf(shown.map(({ policy }) => policy))
      return { policyHeader: policyShown, header: headerOf(shown, at), refusal }
    },
  }
}

/** The windows of each caller, by kind and id. */
const openWindows = (policies: readonly RatePolicy[]) => {
  const kinds = new Map<string, Lru<RateWindow[]>>()
  return (kind: string, id: string): RateWindow[] => {
    let callers = kinds.get(kind)
    if (callers === undefined) kinds.set(kind, (callers = new Lru(limits.rateWindowsMax)))
    let windows = callers.get(id)
    if (windows === undefined) {
      windows = policies.map((policy) => ({ policy, endsAt: 0, used: 0 }))
      callers.set(id, windows)
    }
    return windows
  }
}

/** Counts a request, and returns the longest window that it exceeds. */
const countIn = (windows: readonly RateWindow[], at: number): RateWindow | undefined => {
  let exceeded: RateWindow | undefined
  for (const window of windows) {
    if (window.endsAt <= at) {
      window.endsAt = at + window.policy.windowSeconds * 1000
      window.used = 0
    }
    window.used += 1
    if (window.used > window.policy.limit) exceeded = window
  }
  return exceeded
}

const leftIn = ({ policy, used }: RateWindow): number => Math.max(0, policy.limit - used)

const secondsLeft = ({ endsAt }: RateWindow, at: number): number => wholeSeconds(endsAt - at)

const headerOf = (windows: readonly RateWindow[], at: number): string => {
  let header = ''
  for (const window of windows) {
    const separator = header === '' ? '' : ','
    header += `${separator}"${window.policy.name}";r=${leftIn(window)};t=${secondsLeft(window, at)}`
  }
  return header
}

const policyHeaderOf = (policies: readonly RatePolicy[]): string =>
  policies
    .map(({ name, limit, windowSeconds }) => `"${name}";q=${limit};w=${windowSeconds}`)
    .join(',')

const tooManyRequests = (window: RateWindow, at: number): Error => {
  const { name: policy, limit, windowSeconds } = window.policy
  const seconds = secondsLeft(window, at)
  const whose = policy === 'org' ? ' by all keys or sessions of the organization' : ''
  return rateLimited(
    `More than ${limit} requests in ${windowSeconds} s${whose}. Send this one again in ${seconds} s.`,
    { policy, limit, windowSeconds, retryAfterSeconds: seconds },
  )
}
