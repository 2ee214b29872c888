/** Sandbox quotas (contract 11): the defaults, which settings QUOTA_* override, and what resets. */
export const quotaDefaults = {
  documents_per_day: 5_000,
  stored_documents: 20_000,
  payments_per_day: 5_000,
  open_listings: 50,
  active_keys: 100,
} as const

export type QuotaName = keyof typeof quotaDefaults

export type Quotas = Readonly<Record<QuotaName, number>>

/** These counts start again on every real UTC day; the others are stocks, which never reset. */
const dailyQuotas: readonly QuotaName[] = ['documents_per_day', 'payments_per_day']

/** Stocks that are counted with the organization's counters. */
export const stockQuotas = ['stored_documents', 'open_listings'] as const

export const isDailyQuota = (quota: QuotaName): boolean => dailyQuotas.includes(quota)
