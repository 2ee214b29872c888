/**
 * Every number of specification 8 and of contract 2, 5, 6 and 11, with its unit last.
 * Nothing else in the code says how much is too much.
 */
export const limits = {
  // Requests
  bodyMaxBytes: 1024 * 1024,
  jsonMaxDepth: 16,
  jsonMaxKeys: 5_000,
  headerMaxBytes: 8 * 1024,
  headersMaxCount: 64,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 70_000,
  connectionsCheckEveryMs: 1_000,
  requestsPerSocketMax: 10_000,
  connectionsMax: 12_000,
  pathParameterMaxLength: 200,

  // Idempotency (specification 4.2)
  idempotencyKeyMinLength: 8,
  idempotencyKeyMaxLength: 128,

  // Lists (specification 4.3)
  pageMin: 1,
  pageDefault: 20,
  pageMax: 100,
  cursorMaxLength: 200,
  listFilterMaxValues: 50,
  /** Rows one page may read for a rare combination of filters before it is cut short. */
  listScanMaxRows: 5_000,

  // Documents
  lineItemsMin: 1,
  lineItemsMax: 200,
  descriptionMaxLength: 1_000,
  skuMaxLength: 100,
  notesMaxLength: 5_000,
  paymentTermsMaxLength: 200,
  transitionNoteMaxLength: 1_000,
  referencesMax: 50,
  openMapMaxKeys: 20,
  openMapKeyMaxLength: 40,
  openMapValueMaxLength: 255,
  documentDateMin: '2000-01-01',
  documentDateMaxDaysAhead: 3_653,

  // Attachments (contract 2 and 4)
  attachmentMaxBytes: 25 * 1024 * 1024,
  /** What a form may add around its one file. */
  formOverheadMaxBytes: 64 * 1024,
  filenameMaxLength: 255,
  contentTypeMaxLength: 127,
  attachmentsPerDocumentMax: 100,
  uploadsAtOnceMax: 16,
  downloadLinkLifetimeMs: 5 * 60 * 1000,
  /** A file without an attachment is given up after this long; no request lasts so long. */
  pendingFileMaxAgeMs: 60 * 60 * 1000,
  pendingFilesPerRound: 100,
  fileStoreTimeoutMs: 20_000,
  fileStoreAttempts: 3,

  // Payments (domain 4)
  scheduleMaxDaysAhead: 365,
  sourceAccountMaxLength: 64,
  dueEveryMs: 500,
  dueRowsPerRound: 200,
  railTimeoutMs: 20_000,
  railRetryMs: 2_000,
  railAskAgainMs: 10 * 60_000,
  /** Within this time a rail remembers under which key it executed a payment. */
  railKeyKeptMs: 20 * 60 * 60_000,
  lapseEveryMs: 5_000,

  // The sandbox (domain 6)
  clockAheadMaxSeconds: 2 * 366 * 86_400,

  // Keys (specification 2.3)
  keyNameMaxLength: 100,
  allowedCidrsMax: 20,
  keyLastUsedLagMs: 30_000,

  // The log of calls (contract 4)
  requestRetentionDays: 30,
  requestLogFlushEveryMs: 1_000,
  requestLogBufferMax: 2_000,
  /** So many flushes are the window of the next number. */
  requestLogFlushesPerWindow: 60,
  requestLogPerOrganizationMax: 3_000,
  requestPathMaxLength: 300,

  // Organizations
  organizationNameMaxLength: 200,
  /** Of one owner (contract 11). */
  sandboxesMax: 20,

  // Sessions
  sessionLifetimeMs: 12 * 60 * 60 * 1000,
  signInLinkLifetimeMs: 60 * 60 * 1000,
  passwordMaxLength: 200,
  emailMaxLength: 254,
  signInFailuresPerMinute: 10,
  passwordChecksAtOnce: 2,
  passwordChecksWaiting: 32,

  // The write engine (design: engine 1)
  lanes: 2,
  batchMaxMembers: 48,
  batchMaxBytes: 1024 * 1024,
  queueMaxMembers: 1_024,
  queueMaxBytes: 32 * 1024 * 1024,
  queueMaxWaitMs: 5_000,
  postponeMaxTimes: 3,
  lockWaitMs: 250,

  // The database
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  queryTimeoutMs: 10_000,
  connectTimeoutMs: 2_000,
  readConnections: 2,
  plainConnections: 4,

  // Shutting down
  drainMaxMs: 20_000,

  // Housekeeping
  eventRetentionDays: 30,
  purgeEveryMs: 60_000,
  purgeRowsPerRound: 5_000,
} as const
