/**
 * Classes of work that callers ask for, with connections of their own: how many requests run at
 * once and wait, in all and per organization, and how long. Beyond that a request is refused. After
 * expensive work, its organization rests for as long as it took.
 */
export const workClasses = {
  /** Signing in, and changes to keys. */
  credentials: {
    running: 2,
    runningPerOrganization: 1,
    waiting: 256,
    waitingPerOrganization: 32,
    waitMaxMs: 2_000,
  },
  /** Other writes that have a transaction of their own. */
  writes: {
    running: 3,
    runningPerOrganization: 2,
    waiting: 256,
    waitingPerOrganization: 32,
    waitMaxMs: 2_000,
  },
  /** Pages. Many may run, since they share connections: an organization has a few of them. */
  lists: {
    running: 64,
    runningPerOrganization: 3,
    waiting: 4_096,
    waitingPerOrganization: 512,
    waitMaxMs: 5_000,
    restMaxMs: 200,
  },
  /** Verified reads of a whole history, searches, and balances of the past. */
  heavy: {
    running: 3,
    runningPerOrganization: 1,
    waiting: 64,
    waitingPerOrganization: 16,
    waitMaxMs: 5_000,
    restMaxMs: 200,
  },
} as const
/** Reads on shared connections whose caller has hung up. */
export const abandonedReads = {
  /** One that runs at two looks in a row is cancelled. */
  lookEveryMs: 100,
  /** How long its organization may then have one fewer running. */
  placeHeldMs: 500,
} as const

/** Other work that callers take turns with, without connections of its own. */
export const turns = {
  /** Files that are being received. */
  uploads: {
    running: 32,
    runningPerOrganization: 4,
    waiting: 128,
    waitingPerOrganization: 16,
    waitMaxMs: 2_000,
  },
  /** Files that become drafts. To read one keeps the event loop busy, so one is read at a time. */
  fileReads: {
    running: 1,
    runningPerOrganization: 1,
    waiting: 64,
    waitingPerOrganization: 16,
    waitMaxMs: 10_000,
    restMaxMs: 1_000,
  },
  /** Lists that are being sent. Each page of one takes a turn of the heavy reads. */
  listDownloads: {
    running: 32,
    runningPerOrganization: 2,
    waiting: 64,
    waitingPerOrganization: 8,
    waitMaxMs: 10_000,
  },
  /** Attachments that are being sent. */
  fileDownloads: {
    running: 64,
    runningPerOrganization: 6,
    waiting: 128,
    waitingPerOrganization: 16,
    waitMaxMs: 10_000,
  },
  /** Attachments that are being compared with their hash before they are sent. */
  fileChecks: {
    running: 2,
    runningPerOrganization: 1,
    waiting: 64,
    waitingPerOrganization: 16,
    waitMaxMs: 10_000,
    restMaxMs: 200,
  },
  /** PDFs that are being made, each in a thread of its own. */
  pdfs: {
    running: 2,
    runningPerOrganization: 1,
    waiting: 64,
    waitingPerOrganization: 16,
    waitMaxMs: 10_000,
    restMaxMs: 200,
  },
  /** Long proofs that are being checked before they are sent, each in a thread of its own. */
  proofChecks: {
    running: 2,
    runningPerOrganization: 1,
    waiting: 64,
    waitingPerOrganization: 16,
    waitMaxMs: 10_000,
    restMaxMs: 200,
  },
  /**
   * Notices that are turned off from mails: a mail provider does so for many people at once. Nobody
   * is known, so turns go by network; one at a time takes a place beside those who sign in.
   */
  unsubscribing: {
    running: 1,
    runningPerOrganization: 1,
    waiting: 1_024,
    waitingPerOrganization: 512,
    waitMaxMs: 20_000,
  },
  /** Passwords that are being hashed. Nobody is known yet, so turns go by network. */
  passwords: {
    running: 2,
    runningPerOrganization: 1,
    waiting: 256,
    waitingPerOrganization: 32,
    waitMaxMs: 10_000,
  },
} as const

export type WorkClass = keyof typeof workClasses
