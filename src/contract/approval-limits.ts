/** Limits of approvals (contract 12). */
export const approvalLimits = {
  approvalLifetimeMs: 24 * 60 * 60 * 1000,
  /** Of one organization, whatever becomes of them. */
  approvalsPerDayMax: 1_000,
  declineReasonMaxLength: 500,
  approvalRetentionDays: 30,
  rulesPerOrganizationMax: 50,
  ruleNameMaxLength: 100,
  ruleApproversMax: 3,
  ruleUsersMax: 20,
  eligibleMembersCountedMax: 1_000,
} as const
