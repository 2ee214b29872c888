/** Limits of histories, logs and the auditor. A part of `limits`. */
export const provenanceLimits = {
  /** Leaves per round of the sequencer. */
  logBatchMaxLeaves: 4_096,
  sequenceEveryMs: 250,
  /** The longest wait after failures to sign a log, such as without a quorum of its witnesses. */
  sequenceRetryMaxMs: 30_000,
  /** Documents whose last logged event the process remembers, about 100 bytes each. */
  rememberedHeadsMax: 20_000,
  rememberedUsageKeysMax: 5_000,
  rememberedUsagesOfKeyMax: 32,
  /** How long another session may hold the lock of a log that does not grow, before an alarm. */
  logLockedMaxMs: 60_000,
  witnessTimeoutMs: 2_000,
  witnessResponseMaxBytes: 4_096,
  /** A verified read that met a change of the log's keys is tried again. */
  verifiedReadRetriesMax: 100,
  verifiedReadRetryMs: 5,
  /** While a new epoch begins, the log's folder is missing for a moment; later, it has failed. */
  epochBeginsMs: 500,
  /** How long an export waits for its document to be logged. */
  exportWaitMs: 5_000,
  /** How long the old and the new key both sign after a rotation. */
  logKeyOverlapMs: 90 * 24 * 60 * 60 * 1000,
  /** The stored and the inner hashes of tiles, 16 kB for a full one. */
  cachedTileTreesMaxBytes: 4 * 1024 * 1024,
  /** How often every process asks whether the database has lost what was signed. */
  rollbackLookEveryMs: 1_000,
  auditEveryMs: 60_000,
  /**
   * With the rows, 3 % of a core. A round over everything takes at most a day up to about a million
   * documents.
   */
  auditRoundMaxMs: 1_500,
  /** Some 30,000 rows in a round of the auditor, so 40 million in a day. */
  auditRowsRoundMaxMs: 300,
  auditRowsAtOnce: 500,
  /** How long until the alarm for a row that is still false is raised again. */
  auditRowAlarmAgainMs: 60 * 60 * 1000,
  /** False rows of a table that have an alarm of their own. */
  auditRowAlarmsMax: 1_000,
  auditAllMaxMs: 24 * 60 * 60 * 1000,
  /** For both auditors. */
  auditDocumentsAtOnce: 50,
  auditTilesPerRoundMin: 20,
  auditRecentLeavesMax: 2_048,
  /** Documents on hold that `me` names. */
  heldDocumentsShown: 10,
  /** A longer proof is checked in a thread: this one takes some 20 ms, about 50 events. */
  proofCheckedAtOnceMaxLength: 64 * 1024,
  /** One of 2,000 events takes half a second of a core. */
  proofCheckMaxMs: 20_000,
  proofThreadMaxMegabytes: 256,
  proofThreadIdleMs: 60_000,
  lineageMaxSteps: 200,
  lineageMaxDepth: 12,
  /** Of all documents but the one that was asked for. */
  lineageMaxEvents: 5_000,
  /** Documents that are read and verified at the same time. */
  lineageDocumentsAtOnce: 8,
  /** With so many events, a document takes no further payment, and no listing for a loan. */
  eventsOfDocumentMax: 6_000,
} as const
