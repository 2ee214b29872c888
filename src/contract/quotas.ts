/** How much a sandbox organization may do (contract 11), by default; settings QUOTA_*. */
export const quotaDefaults = {
  documents_per_day: 5_000,
  stored_documents: 20_000,
  payments_per_day: 5_000,
} as const

export type QuotaName = keyof typeof quotaDefaults

export type Quotas = Readonly<Record<QuotaName, number>>
