/**
 * What a sandbox organization may do (domain 6, contract 11), counted on its locked head row: by
 * real UTC day, or as a stock. A refused write counts nothing.
 */
import assert from 'node:assert/strict'
import { refuse } from '../contract/errors.ts'
import type { QuotaName } from '../contract/quotas.ts'
import { addDays } from '../core/calendar.ts'
import type { Change } from './caller.ts'

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
  const kept = JSON.parse(head.quotas) as Used
  const used: Used =
    kept.day === today ? kept : { day: today, stored_documents: kept.stored_documents ?? 0 }
  for (const name of names) {
    const count = used[name] ?? 0
    if (count >= quotas[name]) throw exceeded(name, quotas[name], count, world.now)
    used[name] = count + 1
  }
  world.save('organization_heads', { ...head, quotas: JSON.stringify(used) })
}

const exceeded = (quota: QuotaName, limit: number, used: number, now: string) => {
  const isDaily = quota.endsWith('_per_day')
  const resets_at = isDaily ? `${addDays(now.slice(0, 10), 1)}T00:00:00.000Z` : null
  const message = `This sandbox has used up its ${limit} ${quota.replaceAll('_', ' ')}.`
  const wait = resets_at === null ? undefined : Date.parse(resets_at) - Date.parse(now)
  return refuse(
    'sandbox_quota',
    message,
    { quota, limit, used, resets_at },
    wait === undefined ? {} : { retryAfterSeconds: Math.ceil(wait / 1_000) },
  )
}
