/** Limits of approvals (contract 12). */
export const approvalLimits = {
  approvalLifetimeMs: 24 * 60 * 60 * 1000,
  /** Per organization, whatever becomes of them. */
  approvalsPerDayMax: 1_000,
  declineReasonMaxLength: 500,
  approvalRetentionDays: 30,
  /** How long an MCP client may send the state of a waiting call back. */
  requestStateLifetimeMs: 10 * 60 * 1000,
  /** How often in a row a waiting call asks an MCP client; less than clients go along with. */
  requestStateRoundsMax: 5,
  rulesPerOrganizationMax: 50,
  ruleNameMaxLength: 100,
  ruleApproversMax: 3,
  ruleUsersMax: 20,
  /** Of the approvals that wait for one person, only the newest are counted. */
  waitingCountedMax: 100,
  eligibleMembersCountedMax: 1_000,
} as const
