/**
 * What a sandbox organization may do (domain 6, contract 11), counted on its locked head row: by
 * real UTC day, or as a stock. A refused write counts nothing.
 */
import assert from 'node:assert/strict'
import { refuse } from '../../contract/errors.ts'
import type { QuotaName, Quotas } from '../../contract/quotas.ts'
import { addDays } from '../../core/calendar.ts'
import type { Change } from '../acting-caller.ts'

/** Counts of a day, and stocks under their own names. */
type Used = { day?: string } & Partial<Record<QuotaName, number>>

/** Takes one of each; refused when the organization has used one of them up. */
export const useQuotas = (
  { world, quotas }: Change,
  organization: string,
  names: readonly QuotaName[],
): void => {
  if (quotas === null) return
  const head = world.get('organization_heads', organization)
  assert(head, 'the head of an organization that writes is locked')
  const today = world.now.slice(0, 10)
  const used = usedOn(today, head.quotas)
  for (const name of names) {
    const count = used[name] ?? 0
    if (count >= quotas[name]) throw exceeded(name, quotas[name], count, world.now)
    used[name] = count + 1
  }
  world.save('organization_heads', { ...head, quotas: JSON.stringify(used) })
}

/** What is left of each, for whoever asks. */
export const quotasLeft = (quotas: Quotas, kept: string, now: string) => {
  const counts = usedOn(now.slice(0, 10), kept)
  return (Object.keys(quotas) as QuotaName[]).map((quota) => {
    const limit = quotas[quota]
    const used = counts[quota] ?? 0
    return { quota, limit, used, left: Math.max(0, limit - used), resets_at: resetOf(quota, now) }
  })
}

const usedOn = (today: string, text: string): Used => {
  const kept = JSON.parse(text) as Used
  return kept.day === today ? kept : { day: today, stored_documents: kept.stored_documents ?? 0 }
}

/** When the counts of a day begin anew; a stock does not. */
const resetOf = (quota: QuotaName, now: string): string | null =>
  quota.endsWith('_per_day') ? `${addDays(now.slice(0, 10), 1)}T00:00:00.000Z` : null

const exceeded = (quota: QuotaName, limit: number, used: number, now: string) => {
  const resets_at = resetOf(quota, now)
  const message = `This sandbox has used up its ${limit} ${quota.replaceAll('_', ' ')}.`
  const wait = resets_at === null ? undefined : Date.parse(resets_at) - Date.parse(now)
  return refuse(
    'sandbox_quota',
    message,
    { quota, limit, used, resets_at },
    wait === undefined ? {} : { retryAfterSeconds: Math.ceil(wait / 1_000) },
  )
}
