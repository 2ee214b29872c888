/**
 * Sandbox quotas (domain 6, contract 11), counted on the organization's locked row of counters: per
 * real UTC day, or as a stock. Active keys are counted in their table, since they also end by
 * expiring. A refused write consumes nothing.
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import { type QuotaName, type Quotas, isDailyQuota, stockQuotas } from '../../contract/quotas.ts'
import { addDays } from '../../core/dates.ts'
import type { StoredQuotas } from '../../store/identity/organizations.ts'
import type { ChangeContext } from '../change-context.ts'

type CountedQuota = Exclude<QuotaName, 'active_keys'>

/** The counts of one day, and the stocks. */
type QuotaUsage = { day?: string } & Partial<Record<QuotaName, number>>

/** Consumes one unit of each quota; refuses if any is used up. */
export const consumeQuotas = (
  { unit, quotas }: ChangeContext,
  organization: string,
  names: readonly CountedQuota[],
): void => {
  if (quotas === null) return
  const counters = unit.get('organization_counters', organization)
  assert(counters, 'the counters of an organization that writes are locked')
  const today = unit.now.slice(0, 10)
  const used = usageOn(today, counters.quotas)
  for (const name of names) {
    const count = used[name] ?? 0
    if (count >= quotas[name]) throw quotaExceeded(name, quotas[name], count, unit.now)
    used[name] = count + 1
  }
  unit.save('organization_counters', { ...counters, quotas: JSON.stringify(used) })
}

/** Refuses a key beyond the quota. */
export const checkActiveKeys = (
  { active_keys: limit }: Quotas,
  { count, now }: { count: number; now: string },
): void => {
  if (count >= limit) throw quotaExceeded('active_keys', limit, count, now)
}

export const quotasLeft = (quotas: Quotas, { quotas: stored, now, active_keys }: StoredQuotas) => {
  const counts = { ...usageOn(now.slice(0, 10), stored), active_keys: Number(active_keys) }
  return (Object.keys(quotas) as QuotaName[]).map((quota) => {
    const limit = quotas[quota]
    const used = counts[quota] ?? 0
    return {
      quota,
      limit,
      used,
      left: Math.max(0, limit - used),
      resets_at: quotaResetAt(quota, now),
    }
  })
}

const usageOn = (today: string, text: string): QuotaUsage => {
  const stored = JSON.parse(text) as QuotaUsage
  if (stored.day === today) return stored
  const stocks = stockQuotas.map((quota) => [quota, stored[quota] ?? 0])
  return { day: today, ...Object.fromEntries(stocks) }
}

/** Gives one unit of a stock back; whatever ends the record, and also where no quotas apply. */
export const releaseQuota = (
  { unit }: ChangeContext,
  organization: string,
  name: (typeof stockQuotas)[number],
): void => {
  const counters = unit.get('organization_counters', organization)
  assert(counters, 'the counters of an organization that writes are locked')
  const used = JSON.parse(counters.quotas) as QuotaUsage
  const count = used[name] ?? 0
  if (count === 0) return
  const quotas = JSON.stringify({ ...used, [name]: count - 1 })
  unit.save('organization_counters', { ...counters, quotas })
}

/** When a daily count resets; a stock never does. */
const quotaResetAt = (quota: QuotaName, now: string): string | null =>
  isDailyQuota(quota) ? `${addDays(now.slice(0, 10), 1)}T00:00:00.000Z` : null

const quotaExceeded = (quota: QuotaName, limit: number, used: number, now: string) => {
  const resets_at = quotaResetAt(quota, now)
  const remedy = quota === 'active_keys' ? ' Revoke a key that nobody uses any more.' : ''
  const message = `This sandbox has used up its ${limit} ${quota.replaceAll('_', ' ')}.${remedy}`
  const wait = resets_at === null ? undefined : Date.parse(resets_at) - Date.parse(now)
  return refuse(
    'sandbox_quota',
    message,
    { quota, limit, used, resets_at },
    wait === undefined ? {} : { retryAfterSeconds: Math.ceil(wait / 1_000) },
  )
}
