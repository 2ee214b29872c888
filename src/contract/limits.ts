/**
 * Every number of specification 8 and of contract 2, 5, 6 and 11, with its unit last. How much is
 * too much is said here, and for amounts and terms beside their arithmetic: `moneyBounds` in
 * core/money.ts, `termsBounds` in core/documents/payment-terms.ts.
 */
export const limits = {
  // Requests
  bodyMaxBytes: 1024 * 1024,
  jsonMaxDepth: 16,
  jsonMaxKeys: 5_000,
  jsonMaxEntries: 1_000,
  headerMaxBytes: 8 * 1024,
  headersMaxCount: 64,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 70_000,
  connectionsCheckEveryMs: 1_000,
  requestsPerSocketMax: 10_000,
  connectionsMax: 12_000,
  /** Of answers that are sent in one piece with their head. */
  singleWriteMaxLength: 16_384,
  /** Of the buffers in which longer ones are put together: enough for a page of 20 documents. */
  responseBufferBytes: 256 * 1024,
  responseBuffersMax: 64,
  /** Callers whose rate windows ended are forgotten when this many are known. */
  rateLimitSweepCallers: 10_000,

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
  concurrentUploadsMax: 16,
  downloadLinkLifetimeMs: 5 * 60 * 1000,
  /** A file without an attachment is given up after this long; no request lasts so long. */
  pendingFileMaxAgeMs: 60 * 60 * 1000,
  pendingFilesPerRound: 100,
  fileStoreTimeoutMs: 20_000,
  fileStoreAttempts: 3,

  // Payments (domain 4)
  scheduleMaxDaysAhead: 365,
  sourceAccountMaxLength: 64,
  scheduledWorkEveryMs: 500,
  scheduledWorkRowsPerRound: 200,
  railTimeoutMs: 20_000,
  railResponseMaxBytes: 1024 * 1024,
  railRetryMs: 2_000,
  railPollMs: 10 * 60_000,
  /** Within this time a rail remembers under which key it executed a payment. */
  railIdempotencyMs: 20 * 60 * 60_000,

  // The sandbox (domain 6)
  clockOffsetMaxSeconds: 2 * 366 * 86_400,

  // Search (contract 8)
  searchQueryMaxLength: 200,
  searchQueryMaxWords: 10,
  searchWordMaxLength: 40,
  /** Different words of one document that can be found. */
  searchWordsMax: 10_000,
  /** Names of counterparties that are compared with a misspelt word. */
  searchNamesMax: 5_000,
  /** Positions of one organization that share a bucket of the index. */
  searchBucketPositions: 32_768,
  /** How far a page of a search for something rare looks; what lies below is for the next one. */
  searchBucketsPerPage: 32,
  /** And for words of which each is common: where they meet is found by collecting them. */
  searchCommonPositionsPerPage: 16_384,
  /** Buckets that are asked for together, at most. */
  searchBucketsAtOnce: 16,
  /** What more than this many entries of several buckets hold is looked for in one at a time. */
  searchRunEntriesMax: 2_000,
  /** Entries that are looked at one by one before the index is asked. */
  searchNewestEntries: 400,
  /** Documents behind the index that one page looks through. */
  searchUnindexedMax: 500,
  /** An organization with fewer changes behind its index waits for more. */
  searchIndexMinChanges: 20,
  searchIndexOrganizationsPerRound: 50,
  searchIndexPositionsPerRound: 200,
  searchIndexEveryMs: 2_000,

  // Offers that lapse
  expireEveryMs: 30_000,
  expireDocumentsPerRound: 200,

  // Keys (specification 2.3)
  keyNameMaxLength: 100,
  allowedCidrsMax: 20,
  keyLastUsedLagMs: 30_000,
  /** Different addresses of peers whose canonical text is kept. */
  memoMaxEntries: 10_000,

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

  // Webhooks (specification 6.3, contract 7)
  webhookEndpointsMax: 10,
  webhookUrlMaxLength: 2_000,
  webhookDescriptionMaxLength: 500,
  webhookSecretBytes: 32,
  webhookReplayWindowSeconds: 300,
  webhookAttemptsMax: 6,
  webhookFailuresMax: 20,
  webhookRetryJitter: 0.1,
  deliveryRetentionDays: 30,
  /** Events that one call may schedule again. */
  recoverEventsMax: 10_000,

  // Calls to strangers
  outboundTimeoutMs: 15_000,
  outboundConnectTimeoutMs: 5_000,
  outboundResponseMaxBytes: 64 * 1024,
  outboundResponseKeptBytes: 4 * 1024,
  outboundHeadersMaxBytes: 16 * 1024,
  /** A connection serves one endpoint, and no longer than this. */
  outboundConnectionMaxMs: 60_000,
  outboundIdleMaxMs: 1_000,

  // The delivery workers
  concurrentDeliveriesPerEndpointMax: 8,
  /** When a signing secret that could not be opened is tried again. */
  unreadableSecretRetryMs: 60_000,
  concurrentDeliveriesMax: 4_096,
  concurrentFastDeliveriesMax: 1_024,
  /** An answer that takes longer makes an endpoint slow: then one at a time, of a share apart. */
  slowResponseMs: 3_000,
  concurrentSlowDeliveriesMax: 512,
  claimEndpointsMax: 64,
  /** A worker that has more in hand looks for no other endpoints. */
  inFlightMaxBytes: 64 * 1024 * 1024,
  inFlightFullPauseMs: 100,
  /** What waits in hand for an endpoint that has not answered quickly yet, and for a slow one. */
  unprovenInFlightDeliveries: 16,
  slowInFlightDeliveries: 1,
  claimDeliveriesPerEndpoint: 100,
  claimBytesPerEndpoint: 256 * 1024,
  fanOutEventsPerEndpoint: 200,
  recordMaxDeliveries: 5_000,
  /** An endpoint with fewer in hand is given more. */
  refillBelowDeliveries: 24,
  refillEndpointsMax: 256,
  /**
   * After a look for work the next one waits so many times as long as it took, and so many times
   * when nothing was told of: with many endpoints a worker that is idle costs next to nothing.
   */
  pollBackoffFactor: 4,
  pollIdleFactor: 50,
  workerPollMs: 500,
  workerLeaseMs: 6_000,
  workerRenewMs: 2_000,
  feedNotifyEveryMs: 20,

  // Sessions
  sessionLifetimeMs: 12 * 60 * 60 * 1000,
  signInLinkLifetimeMs: 60 * 60 * 1000,
  passwordMaxLength: 200,
  emailMaxLength: 254,
  signInFailuresPerMinute: 10,
  signInFailureWindowMs: 60_000,
  signInFailuresTrackedMax: 10_000,
  passwordChecksConcurrentMax: 2,
  passwordChecksQueuedMax: 32,

  // The write engine (design: engine 1)
  lanes: 2,
  batchMaxWrites: 48,
  batchMaxBytes: 1024 * 1024,
  /** Of the memory in which statements' arrays are put together: more is given back. */
  arrayScratchMaxBytes: 1024 * 1024,
  queueMaxWrites: 1_024,
  queueMaxBytes: 32 * 1024 * 1024,
  queueMaxWaitMs: 5_000,
  skipLockedMaxTimes: 3,
  lockWaitMs: 250,

  // The database
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  queryTimeoutMs: 10_000,
  connectTimeoutMs: 2_000,
  readConnections: 2,
  batchLoaderMaxKeys: 32,
  transactionConnections: 4,

  // Provenance
  /** Leaves of one round of the sequencer. */
  logBatchMaxLeaves: 4_096,
  sequenceEveryMs: 250,
  /** An export waits so long for its document to be in the log. */
  exportWaitMs: 5_000,
  /** How long the keys before and after a rotation both sign. */
  logKeyOverlapMs: 90 * 24 * 60 * 60 * 1000,
  /** Tiles whose inner hashes are kept: 8 kB each, and as much for what they were made of. */
  cachedTileTreesMax: 1_000,
  auditEveryMs: 60_000,
  auditDocumentsPerRound: 500,
  auditTilesPerRound: 200,
  lineageMaxSteps: 200,
  lineageMaxDepth: 12,

  // Shutting down
  drainMaxMs: 20_000,
  repeatedSignalMs: 2_000,

  // Housekeeping
  eventRetentionDays: 30,
  /** Longer than events are shown, so that every retry of a late delivery still has its body. */
  eventStorageDays: 31,
  purgeEveryMs: 60_000,
  purgeRowsPerRound: 5_000,
} as const
