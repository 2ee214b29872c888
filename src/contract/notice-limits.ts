/** The limits of notices by e-mail (docs/decisions/0115). */
export const noticeLimits = {
  noticesEveryMs: 1_000,
  /** What is looked for at a time: approvals, failed payments, endpoints and keys. */
  noticeSubjectsPerRound: 100,
  /** Of them and of those that are told already, how many are looked at, the first ones first. */
  noticeCausesPerRound: 10_000,
  /** How much later than its time a cause may be seen: longer than any transaction takes. */
  noticeCausesLateMs: 60_000,
  /** The newest members who are told of one thing. */
  noticeRecipientsMax: 50,
  /** Mails of one organization that wait; beyond it, nothing new is told. */
  noticesWaitingMax: 1_000,
  /** Something older is not told any more. */
  noticeLifetimeMs: 24 * 60 * 60 * 1000,
  /** Longer than anything is looked for. */
  noticeRetentionDays: 14,
  keyExpiryNoticeDays: 7,
  /** Out of `webhookFailuresMax`; the index of `sql/0020-notices.sql` has the same number. */
  endpointFailuresTold: 10,

  // Sending
  noticesSentPerRound: 10,
  /** Due mails among which those are chosen that the limits of the hour admit. */
  noticesConsideredPerRound: 200,
  /** Longer than a round takes: then another worker sends what this one has not. */
  noticeLeaseMs: 5 * 60 * 1000,
  noticeTimeoutMs: 15_000,
  /** How long a server may be silent; shorter than the wait for the first retry. */
  noticeSilenceMaxMs: 50_000,
  noticeConnectTimeoutMs: 5_000,
  noticeRetryMinutes: [1, 5, 15, 60, 120, 240, 480],
  /** Per organization, and per recipient; what exceeds either waits. */
  noticesPerHourMax: { live: 200, test: 20 },
  noticesPerRecipientPerHourMax: 60,
  /** Strangers cause them, so they are few, and leave the number above to other notices. */
  invitationsPerRecipientPerHourMax: 10,
  /** How much of what an organization or a recipient may get is for what others can cause. */
  othersNoticesShare: 1 / 2,
  noticeWaitsForLimitMs: 5 * 60 * 1000,
  noticeTextMaxLength: 200,

  // Turning them off
  /** Twice as long as the law of the United States asks for. */
  unsubscribeLinkLifetimeDays: 60,
  /** A form with one field, also in parts. */
  unsubscribeFormMaxBytes: 4_096,
} as const
