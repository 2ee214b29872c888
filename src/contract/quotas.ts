/** Default quotas of a sandbox organization (contract 11); settings QUOTA_* override them. */
export const quotaDefaults = {
  documents_per_day: 5_000,
  stored_documents: 20_000,
  payments_per_day: 5_000,
} as const

export type QuotaName = keyof typeof quotaDefaults

export type Quotas = Readonly<Record<QuotaName, number>>
