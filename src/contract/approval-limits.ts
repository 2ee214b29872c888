/** Limits of approvals (contract 12). */
export const approvalLimits = {
  approvalLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of one organization, whatever becomes of them. */
  approvalsPerDayMax: 1_000,
  declineReasonMaxLength: 500,
  approvalRetentionDays: 30,
} as const
