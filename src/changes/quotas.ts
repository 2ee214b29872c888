/**
 * Quotas (domain 6, contract 11): counted on the organization's locked row of counters, per real
 * UTC day or as a stock, or by counting the rows themselves under a lock. A refused write consumes
 * nothing.
 */
import { type Refusal, refuse } from '../contract/errors.ts'
import {
  type HeldQuotas,
  type QuotaName,
  type Quotas,
  quotaDefinitions,
  stockQuotas,
} from '../contract/quotas.ts'
import { addDays, dateOf, startOfDay, wholeSeconds } from '../core/dates.ts'
import type { Queryable } from '../database/sql.ts'
import { type CountedQuota, type RowQuota, type StoredQuotas, countRows } from '../store/quotas.ts'
import type { ChangeContext } from './change-context.ts'
import { countersOf } from './organization-counters.ts'

/** The counts of one day, and the stocks. */
type QuotaUsage = { day?: string } & Partial<Record<QuotaName, number>>

/** The quotas of the caller's organization. */
export const quotasHeldBy = ({ context, organization: { mode } }: QuotaHolder): HeldQuotas => ({
  mode,
  quotas: context.config.quotas[mode],
})

interface QuotaHolder {
  context: { config: { quotas: Readonly<Record<HeldQuotas['mode'], Quotas>> } }
  organization: { mode: HeldQuotas['mode'] }
}

/** Consumes one unit of each quota; refuses if any is used up. */
export const consumeQuotas = (
  { unit, quotas }: ChangeContext,
  organization: string,
  names: readonly CountedQuota[],
): void => {
  const limited = names.filter((name) => quotas[name] !== undefined)
  if (limited.length === 0) return
  const counters = countersOf(unit, organization)
  const today = dateOf(unit.now)
  const used = usageOn(today, counters.quotas)
  for (const name of limited) {
    const count = used[name] ?? 0
    const limit = quotas[name]!
    if (count >= limit) throw quotaExceeded(name, { limit, used: count }, unit.now)
    used[name] = count + 1
  }
  unit.save('organization_counters', { ...counters, quotas: JSON.stringify(used) })
}

/** Refuses another row beyond its quota. The caller holds the lock under which they are added. */
export const checkRowQuota = async (
  tx: Queryable,
  { mode, quotas }: HeldQuotas,
  { quota, holder }: { quota: RowQuota; holder: string },
): Promise<void> => {
  const limit = quotas[quota]
  if (limit === undefined) return
  const used = await countRows(tx, quota, holder)
  if (used < limit) return
  const refusal = quotaExceeded(quota, { limit, used })
  const { liveConflict: reason } = quotaDefinitions[quota]
  if (mode === 'test' || reason === undefined) throw refusal
  throw refuse('conflict', refusal.message, { ...refusal.details, reason })
}

export const quotasLeft = (quotas: Quotas, { quotas: stored, now, rows }: StoredQuotas) => {
  const counts = { ...usageOn(dateOf(now), stored), ...rows }
  return (Object.keys(quotas) as QuotaName[]).map((quota) => {
    const limit = quotas[quota]!
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
  const counters = countersOf(unit, organization)
  const used = JSON.parse(counters.quotas) as QuotaUsage
  const count = used[name] ?? 0
  if (count === 0) return
  const quotas = JSON.stringify({ ...used, [name]: count - 1 })
  unit.save('organization_counters', { ...counters, quotas })
}

/** When a daily count resets; a stock never does. */
const quotaResetAt = (quota: QuotaName, now: string): string | null =>
  quotaDefinitions[quota].isDaily ? startOfDay(addDays(dateOf(now), 1)) : null

const remedies: Readonly<Record<QuotaName, string>> = {
  documents_per_day: 'Wait until the next UTC day.',
  stored_documents: 'Reset the sandbox.',
  payments_per_day: 'Wait until the next UTC day.',
  open_listings: 'Withdraw a listing.',
  webhook_endpoints: 'Delete an endpoint that nobody needs any more.',
  active_keys: 'Revoke a key that nobody uses any more.',
  sandboxes: 'Use one of those that exist, after a reset.',
}

/** `now` is for a quota that may reset. */
const quotaExceeded = (
  quota: QuotaName,
  { limit, used }: { limit: number; used: number },
  now?: string,
): Refusal => {
  const resets_at = now === undefined ? null : quotaResetAt(quota, now)
  const message = `The quota of ${quota.replaceAll('_', ' ')} (${limit}) is used up. ${remedies[quota]}`
  const wait = resets_at === null ? undefined : Date.parse(resets_at) - Date.parse(now!)
  return refuse(
    'sandbox_quota',
    message,
    { quota, limit, used, resets_at },
    wait === undefined ? {} : { retryAfterSeconds: wholeSeconds(wait) },
  )
}
