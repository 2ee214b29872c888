/** The limits of people who sign in: sessions, passwords and guesses. */

export const identityLimits = {
  sessionLifetimeMs: 12 * 60 * 60 * 1000,
  signInLinkLifetimeMs: 60 * 60 * 1000,
  passwordMaxLength: 200,
  emailMaxLength: 254,
  /** For an e-mail from one network, for a network, and for a block of networks. */
  signInFailuresPerMinute: 10,
  signInFailuresPerNetworkMax: 30,
  signInFailuresPerBlockMax: 300,
  signInFailureWindowMs: 60_000,
  /** Of each of the three; the oldest one goes first. */
  signInFailuresTrackedMax: 20_000,

  /** A browser renews its token with the cookie, which ends after a week of disuse. */
  browserTokenLifetimeMs: 15 * 60 * 1000,
  browserIdleMs: 7 * 24 * 60 * 60 * 1000,
  browserSignInMaxMs: 30 * 24 * 60 * 60 * 1000,
  /** Tokens of one browser at the same time: one for each tab. */
  browserTokensMax: 100,
  userAgentMaxLength: 300,
} as const
