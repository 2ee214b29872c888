/** Writes that may need the approval of a person, and what becomes of one (contract 12). */

/** Each pays, or binds its caller to pay. Of documents.transition only the moves that pay. */
export const approvableOperations = [
  'documents.pay',
  'documents.transition',
  'finance.offers.create',
  'finance.offers.accept',
  'finance.agreements.repay',
] as const

export type ApprovableOperation = (typeof approvableOperations)[number]

export const approvalStatuses = [
  'pending',
  'approved',
  'executed',
  'declined',
  'stale',
  'expired',
] as const

export type ApprovalStatus = (typeof approvalStatuses)[number]
