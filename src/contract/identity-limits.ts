/** The limits of people: how they sign in, and what their pages listen to. */

export const identityLimits = {
  sessionLifetimeMs: 12 * 60 * 60 * 1000,
  signInLinkLifetimeMs: 60 * 60 * 1000,
  /** Links that people ask for, and how often: from a network, for an address, and in all. */
  requestedLinkLifetimeMs: 15 * 60 * 1000,
  linkRequestWindowMs: 60 * 60 * 1000,
  linkRequestsPerNetworkMax: 20,
  linkRequestsPerEmailMax: 5,
  linkRequestsWaitingMax: 1_000,
  linkRequestsEveryMs: 1_000,
  // Identity providers
  oidcAttemptLifetimeMs: 10 * 60 * 1000,
  oidcTimeoutMs: 5_000,
  oidcResponseMaxBytes: 256 * 1024,
  oidcDiscoveryKeptMs: 10 * 60 * 1000,
  oidcClockToleranceSeconds: 30,
  oidcSubjectMaxLength: 255,

  setupTokenLifetimeMs: 60 * 60 * 1000,
  /** Invitations of members; those that are revoked or expired do not count. */
  invitationLifetimeDays: 7,
  openInvitationsMax: 100,
  /** The name of its sandbox is longer. */
  ownOrganizationNameMaxLength: 180,
  passwordMinLength: 12,
  passwordMaxLength: 200,
  emailMaxLength: 254,
  /** Failures of an account on one network after which the next attempt waits. */
  signInFailuresFree: 5,
  /** The same for an account on all networks together, a network, and a block of networks. */
  signInFailuresPerAccountFree: 20,
  signInFailuresPerNetworkFree: 30,
  signInFailuresPerBlockFree: 300,
  /** Each further failure doubles the wait. */
  signInFirstWaitMs: 5_000,
  signInWaitMaxMs: 5 * 60 * 1000,
  /** How long it takes until one failure is forgotten. */
  signInFailureForgottenMs: 60 * 60 * 1000,
  signInFailureOfAccountForgottenMs: 60_000,
  signInFailureOfNetworkForgottenMs: 60_000,
  signInFailureOfBlockForgottenMs: 6_000,
  /** How long a network is known after a sign-in: failures elsewhere do not count there. */
  signInNetworkKnownMs: 30 * 24 * 60 * 60 * 1000,

  /** A browser renews its token with the cookie, which ends after a week of disuse. */
  browserTokenLifetimeMs: 15 * 60 * 1000,
  /** After it, users prove their identity again before what needs that. */
  recentSignInMs: 15 * 60 * 1000,
  browserIdleMs: 7 * 24 * 60 * 60 * 1000,
  browserSignInMaxMs: 30 * 24 * 60 * 60 * 1000,
  /** Tokens of one browser at the same time: one for each tab. */
  browserTokensMax: 100,
  /** How long a cookie whose response was lost may be sent again: as long as a slow page loads. */
  browserRepeatMs: 30_000,
  userAgentMaxLength: 300,

  // Second factors (console 2.5)
  totpSecretBytes: 20,
  recoveryCodes: 10,
  recoveryCodeBytes: 10,
  secondFactorCodeMaxLength: 40,
  mfaTokenMaxLength: 200,
  mfaTokenLifetimeMs: 5 * 60 * 1000,
  /** Wrong codes in a row after which the account waits; each further one doubles the wait. */
  wrongCodesFree: 5,
  wrongCodeFirstWaitMs: 30_000,
  wrongCodeWaitMaxMs: 15 * 60 * 1000,
  /** Wrong codes are forgotten after a day without another one. */
  wrongCodesForgottenMs: 24 * 60 * 60 * 1000,

  // Passkeys (WebAuthn)
  passkeysMax: 20,
  passkeyNameMaxLength: 100,
  passkeyChallengeLifetimeMs: 5 * 60 * 1000,
  passkeyChallengeBytes: 16,
  /** The longest base64url text in the answer of an authenticator. */
  passkeyAnswerMaxLength: 3_000,
  passkeyTransportsMax: 10,

  // Sign-in of programs that a person approves (RFC 8628)
  deviceCodeLifetimeMs: 10 * 60 * 1000,
  userCodeLetters: 8,
  userCodeMaxLength: 40,
  deviceParameterMaxLength: 1_000,
  devicePollSeconds: 5,
  /** How much longer the interval becomes after a poll that comes too early. */
  devicePollSlowerSeconds: 5,
  devicePollMaxSeconds: 60,
  /** How early a poll may come, since clocks and networks are not exact. */
  devicePollToleranceMs: 500,
  /** Codes that have not expired, of a network, of the block around it and of all. */
  deviceCodesPerNetworkMax: 10,
  deviceCodesPerBlockMax: 100,
  deviceCodesMax: 10_000,
  /** Wrong codes in one window, of a person and of a network. */
  wrongUserCodesMax: 10,
  wrongUserCodesPerNetworkMax: 30,
  wrongUserCodeWindowMs: 10 * 60 * 1000,
  /** Persons, and networks, whose wrong codes are remembered; the oldest make room. */
  wrongUserCodesTrackedMax: 20_000,

  // Saved views (contract 12)
  savedViewsMax: 100,
  savedViewNameMaxLength: 100,
  savedViewQueryMaxLength: 2_000,

  // Streams of changes (contract 12)
  streamsMax: 1_000,
  streamsPerOrganizationMax: 20,
  /** Of all that a person has signed in to, or has made keys of. */
  streamsPerPersonMax: 100,
  streamRetrySeconds: 5,
  streamPollEveryMs: 250,
  /** How many polls come between two looks at the credentials, and between two pings. */
  streamPollsPerCheck: 4,
  streamPollsPerPing: 100,
  streamChangesPerPoll: 500,
  /** A reader that has missed more loads everything again. */
  streamBacklogMax: 400,
  streamBufferMaxBytes: 64 * 1024,

  /** To exchange documents with the same one, that were declined, withdrawn or ended. */
  endedInvitationsMax: 40,
  endedInvitationsDays: 30,
} as const
