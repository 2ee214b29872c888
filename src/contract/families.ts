/**
 * Operation families (specification 1) and which of them this build serves. Calls to a family that
 * is not built or not enabled are refused with `not_enabled`; enablement lists the families.
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

export const families: Record<Family, { since: string; built: boolean }> = {
  documents: { since: '1.0.0', built: true },
  payments: { since: '1.0.0', built: true },
  treasury: { since: '1.0.0', built: true },
  provenance: { since: '1.5.0', built: true },
  keys: { since: '1.0.0', built: true },
  webhooks: { since: '1.3.0', built: true },
  finance: { since: '1.14.0', built: true },
  enablement: { since: '1.1.0', built: true },
}

export const familyNames = Object.keys(families) as readonly Family[]
