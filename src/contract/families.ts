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
  finance: { since: '1.14.0', built: false },
  enablement: { since: '1.1.0', built: true },
}

export const familyNames = Object.keys(families) as readonly Family[]

/** The operations of contract 4 that are not built yet: they are refused with `not_enabled`. */
export const unbuiltOperations: readonly { path: string; methods: string[]; family: Family }[] = [
  { path: '/v1/finance/setup', methods: ['GET', 'PUT'], family: 'finance' },
  { path: '/v1/finance/listings', methods: ['GET', 'POST'], family: 'finance' },
  { path: '/v1/finance/listings/{id}', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/listings/{id}/withdraw', methods: ['POST'], family: 'finance' },
  { path: '/v1/finance/listings/{id}/offers', methods: ['POST'], family: 'finance' },
  { path: '/v1/finance/offers', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/offers/{id}', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/offers/{id}/authorization', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/offers/{id}/accept', methods: ['POST'], family: 'finance' },
  { path: '/v1/finance/offers/{id}/decline', methods: ['POST'], family: 'finance' },
  { path: '/v1/finance/offers/{id}/withdraw', methods: ['POST'], family: 'finance' },
  { path: '/v1/finance/agreements', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/agreements/{id}', methods: ['GET'], family: 'finance' },
  { path: '/v1/finance/agreements/{id}/repayment', methods: ['GET', 'POST'], family: 'finance' },
  { path: '/v1/finance/agreements/{id}/withdraw', methods: ['POST'], family: 'finance' },
]
