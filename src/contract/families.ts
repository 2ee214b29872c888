/**
 * Operation families (specification 1). Calls to a family that the deployment has not enabled are
 * refused with `not_enabled`; enablement lists the families.
 */
export type Family =
  | 'documents'
  | 'payments'
  | 'treasury'
  | 'provenance'
  | 'keys'
  | 'webhooks'
  | 'finance'
  | 'enablement'

export const families: Record<Family, { since: string }> = {
  documents: { since: '1.0.0' },
  payments: { since: '1.0.0' },
  treasury: { since: '1.0.0' },
  provenance: { since: '1.5.0' },
  keys: { since: '1.0.0' },
  webhooks: { since: '1.3.0' },
  finance: { since: '1.14.0' },
  enablement: { since: '1.1.0' },
}

export const familyNames = Object.keys(families) as readonly Family[]
