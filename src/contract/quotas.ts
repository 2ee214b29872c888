/** Quotas (contract 11): the defaults, which settings QUOTA_* override, and where they hold. */

import type { ConflictReason } from './conflict-reasons.ts'

interface QuotaDefinition {
  limit: number
  /** Counted per real UTC day; the others are stocks, which never reset. */
  isDaily?: true
  /** Holds for live organizations, too. */
  isForLive?: true
  /** How a live organization is refused, instead of with sandbox_quota. */
  liveConflict?: ConflictReason
  /** Holds even when SANDBOX_QUOTAS is off. */
  isHard?: true
}

const definitions = {
  documents_per_day: { limit: 5_000, isDaily: true },
  stored_documents: { limit: 20_000 },
  payments_per_day: { limit: 5_000, isDaily: true },
  open_listings: { limit: 50 },
  webhook_endpoints: {
    limit: 10,
    isForLive: true,
    liveConflict: 'too_many_endpoints',
    isHard: true,
  },
  active_keys: { limit: 100 },
  /** Practice pairs, of the owner that they share. */
  sandboxes: { limit: 20, isForLive: true },
} as const satisfies Record<string, QuotaDefinition>

export type QuotaName = keyof typeof definitions

export const quotaNames = Object.keys(definitions) as readonly QuotaName[]

/** Stocks that are counted with the organization's counters. */
export const stockQuotas = ['stored_documents', 'open_listings'] as const

export const quotaDefinitions: Readonly<Record<QuotaName, QuotaDefinition>> = definitions

/** The quotas that hold; what has no limit here is not counted. */
export type Quotas = Readonly<Partial<Record<QuotaName, number>>>

export interface HeldQuotas {
  mode: 'live' | 'test'
  /** The quotas of an organization of this mode. */
  quotas: Quotas
}
