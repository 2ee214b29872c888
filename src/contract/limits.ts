/**
 * Every limit of specification 8 and of contract 2, 5, 6 and 11; names end with the unit. Those of
 * amounts and terms are with their arithmetic: core/money.ts, core/documents/terms-problems.ts.
 */
import { httpConnectionLimits } from './http-connection-limits.ts'
import { financeLimits } from './finance-limits.ts'
import { identityLimits } from './identity-limits.ts'
import { mcpLimits } from './mcp-limits.ts'
import { noticeLimits } from './notice-limits.ts'
import { provenanceLimits } from './provenance-limits.ts'
import { searchLimits } from './search-limits.ts'
import { statisticsLimits } from './statistics-limits.ts'

export const limits = {
  // Requests
  bodyMaxBytes: 1024 * 1024,
  jsonMaxDepth: 16,
  jsonMaxKeys: 5_000,
  jsonMaxEntries: 1_000,
  /** Longer than any key, text or number of a request, in the characters of the body. */
  jsonKeyMaxLength: 512,
  jsonTextMaxLength: 64 * 1024,
  jsonNumberMaxLength: 1_024,
  /** A refusal lists this many problems and counts the others. */
  problemsListedMax: 50,
  /** How many of them suggest a similar name, which takes the most time to find. */
  suggestionsPerRefusalMax: 20,
  /** A longer name of the caller's is shortened in messages. */
  echoedNameMaxLength: 100,
  /** Sign-in is open to everybody, and its bodies are small. */
  signInBodyMaxBytes: 4 * 1024,
  ...httpConnectionLimits,
  /** Responses up to this length are sent in one write together with their head. */
  singleWriteMaxLength: 16_384,
  compressedTextMinLength: 10_000,
  compressedTextsMax: 256,
  /** Size of the buffers that assemble longer responses: enough for a page of 20 documents. */
  responseBufferBytes: 256 * 1024,
  responseBuffersMax: 64,
  /** Rate windows of one kind that are kept; the least recently used make room. */
  rateWindowsMax: 20_000,
  /** Keys whose rows are kept; those that were loaded first make room. */
  knownKeysMax: 10_000,
  /** Unless it is set, all keys of an organization may send this many times as much as one. */
  organizationRateFactor: 3,

  // Idempotency (specification 4.2)
  idempotencyKeyMinLength: 8,
  idempotencyKeyMaxLength: 128,

  // Lists (specification 4.3)
  pageMin: 1,
  pageDefault: 20,
  pageMax: 100,
  /** A page ends with the document whose content reaches this length. */
  pageContentMaxBytes: 512 * 1024,
  cursorMaxLength: 200,
  listFilterMaxValues: 50,
  /** How many names `fields` may join by dots, as in `data.document.id`. */
  fieldDepthMax: 3,
  /** A page ends after reading this many rows, however few of them match its filters. */
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

  /** Changes of a draft, and again once it is issued; then one that can be repeated is refused. */
  changesPerDocumentMax: 1_000,
  /** To one document by issued documents of one side; so many more are for credit notes. */
  referencesPerSideMax: 1_000,

  // Comments (contract 12)
  commentMaxLength: 2_000,
  commentsPerDocumentMax: 500,

  // Attachments (contract 2 and 4)
  attachmentMaxBytes: 25 * 1024 * 1024,
  /** Bytes a form may have in addition to its file. */
  formOverheadMaxBytes: 64 * 1024,
  filenameMaxLength: 255,
  contentTypeMaxLength: 127,
  /** Of each side: what one of them attaches takes no room from the other. */
  attachmentsPerSideMax: 100,
  /** An upload that brings less than this in `uploadStallMs` is cut off. */
  uploadMinBytesPerSecond: 16 * 1024,
  uploadStallMs: 5_000,
  downloadLinkLifetimeMs: 5 * 60 * 1000,
  /** A file without an attachment is deleted at this age; no request takes that long. */
  pendingFileMaxAgeMs: 60 * 60 * 1000,
  pendingFilesPerRound: 100,
  fileStoreTimeoutMs: 20_000,
  fileStoreAttempts: 3,

  // Payments (domain 4)
  scheduleMaxDaysAhead: 365,
  sourceAccountMaxLength: 64,
  scheduledWorkEveryMs: 500,
  scheduledWorkRowsPerRound: 200,
  duePaymentsInTurnsMax: 20_000,
  /** The longest wait of work that has failed, and how many failures a task remembers. */
  taskBackoffMaxMs: 60_000,
  taskBackoffsMax: 50_000,
  /** How long a document stays in payment_scheduled after its payment settled in place. */
  paymentCompletionDelayMs: 1_000,
  railTimeoutMs: 20_000,
  railResponseMaxBytes: 1024 * 1024,
  railRetryMs: 2_000,
  railPollMs: 10 * 60_000,
  railEventsEveryMs: 6 * 60 * 60_000,
  railEventsPerPage: 50,
  railEventsMax: 10_000,
  /** Longer than a processor sends an event again, or lists it: 30 days. */
  railEventDays: 45,
  /** How long a rail remembers the idempotency key of an executed payment. */
  railIdempotencyMs: 20 * 60 * 60_000,

  // The sandbox (domain 6)
  clockOffsetMaxSeconds: 2 * 366 * 86_400,
  clockAdvanceWorkMax: 500,
  /** An advance of a clock that has not moved for so long is completed in the background. */
  clockAdvanceIdleMs: 30_000,
  clockAdvanceTakenUpMs: 86_400_000,
  clockAdvancesPerRound: 10,

  // Offer expiry
  expireEveryMs: 30_000,
  expireDocumentsPerRound: 200,

  // Keys (specification 2.3)
  keyNameMaxLength: 100,
  signatureToleranceSeconds: 300,
  allowedCidrsMax: 20,
  keyLastUsedLagMs: 30_000,
  /** Distinct peer addresses whose canonical text is cached. */
  clientAddressesMax: 10_000,
  /** A longer X-Forwarded-For is read, but not cached. */
  forwardedForKeptMaxLength: 200,

  // The request log (contract 4)
  requestRetentionDays: 30,
  requestLogFlushEveryMs: 1_000,
  requestLogBufferMax: 2_000,
  /** Flushes that make up the window of the next limit. */
  requestLogFlushesPerWindow: 60,
  requestLogPerOrganizationMax: 3_000,
  requestPathMaxLength: 300,

  // Organizations
  organizationNameMaxLength: 200,

  // Webhooks (specification 6.3, contract 7)
  webhookUrlMaxLength: 2_000,
  webhookDescriptionMaxLength: 500,
  webhookSecretBytes: 32,
  concurrentPingsPerEndpointMax: 2,
  webhookReplayWindowSeconds: 300,
  webhookAttemptsMax: 6,
  webhookFailuresMax: 20,
  webhookRetryJitter: 0.1,
  deliveryRetentionDays: 30,
  /** The newest attempts that a delivery shows: each redelivery makes up to six more. */
  deliveryAttemptsShown: 100,
  /** Events that one call may reschedule. */
  recoverEventsMax: 1_000,

  // Outbound calls
  outboundTimeoutMs: 15_000,
  outboundConnectTimeoutMs: 5_000,
  /** How long a call waits for a free socket of this process. */
  outboundSocketWaitMs: 5_000,
  outboundSocketRetryMs: 100,
  outboundResponseMaxBytes: 64 * 1024,
  outboundResponseKeptBytes: 4 * 1024,
  outboundHeadersMaxBytes: 16 * 1024,
  /** A connection serves one endpoint and is reused for at most this long. */
  outboundConnectionMaxMs: 60_000,
  outboundIdleMaxMs: 1_000,

  // The delivery workers
  concurrentDeliveriesPerEndpointMax: 8,
  /** Delay before a signing secret that could not be decrypted is tried again. */
  unreadableSecretRetryMs: 60_000,
  concurrentDeliveriesMax: 4_096,
  concurrentFastDeliveriesMax: 1_024,
  /** A slower response moves its endpoint to the slow lane: one delivery at a time, own quota. */
  slowResponseMs: 3_000,
  concurrentSlowDeliveriesMax: 512,
  claimEndpointsMax: 64,
  /** A worker that has queued more bytes claims no further endpoints. */
  queuedMaxBytes: 64 * 1024 * 1024,
  queuesFullPauseMs: 100,
  /** Deliveries queued for an endpoint that has not responded quickly yet, and for a slow one. */
  unprovenQueuedDeliveries: 16,
  slowQueuedDeliveries: 1,
  claimDeliveriesPerEndpoint: 100,
  claimBytesPerEndpoint: 256 * 1024,
  fanOutEventsPerEndpoint: 200,
  recordMaxDeliveries: 5_000,
  /** An endpoint with fewer held deliveries is refilled. */
  refillBelowDeliveries: 24,
  refillEndpointsMax: 256,
  /** Pauses of an idle worker in durations of its poll: after a notification, and without one. */
  pollBackoffFactor: 4,
  pollIdleFactor: 50,
  workerPollMs: 500,
  workerLeaseMs: 6_000,
  workerRenewMs: 2_000,
  /** An attempt begins with settings of its endpoint that are at most this old. */
  endpointSettingsMaxAgeMs: 200,
  /** The response to a change of an endpoint waits until no older settings are in use. */
  endpointChangeWaitMs: 220,
  feedNotifyEveryMs: 20,

  // The write engine (design: engine 1)
  lanes: 2,
  batchMaxWrites: 48,
  /** Large writes come in small batches, so that others soon have their turn. */
  batchMaxBytes: 64 * 1024,
  /** Scratch memory for building array parameters; a larger buffer is released after use. */
  arrayScratchMaxBytes: 1024 * 1024,
  queueMaxWrites: 1_024,
  queueMaxBytes: 32 * 1024 * 1024,
  queueMaxWaitMs: 5_000,
  /** A write that would probably wait longer is refused when it arrives. */
  queueExpectedWaitMaxMs: 1_000,
  /** Batches over which the speed of a lane is averaged. */
  laneSpeedBatches: 8,
  skipLockedMaxTimes: 3,
  lockWaitMs: 250,

  // The database
  /** How long /readyz reports that a write found no room on the disk. */
  diskFailureShownMs: 5_000,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleInTransactionTimeoutMs: 10_000,
  /** Of the heavy reads, which compute between their statements and hold no locks. */
  idleInSnapshotTimeoutMs: 60_000,
  queryTimeoutMs: 10_000,
  connectTimeoutMs: 2_000,
  readConnections: 2,
  batchLoaderMaxKeys: 32,
  batchLoaderMaxWaiting: 4_096,
  backgroundConnections: 4,
  /** How long admitted work waits for a connection, which may have to be opened. */
  connectionWaitMaxMs: 10_000,
  /** PostgreSQL cancels a statement this soon after its client is gone. */
  clientGoneCheckMs: 250,

  ...identityLimits,
  ...provenanceLimits,
  ...financeLimits,
  ...noticeLimits,
  ...mcpLimits,
  ...statisticsLimits,
  ...searchLimits,

  // Starting, and shutting down
  startAttemptsMax: 10,
  startAgainAfterMs: 1_000,
  /** /healthz fails if the embedded PostgreSQL has not come back by then. */
  databaseRepairMaxMs: 30_000,
  drainMaxMs: 20_000,
  lastTelemetryMaxMs: 2_000,
  repeatedSignalMs: 2_000,

  // Housekeeping
  eventRetentionDays: 30,
  /** At least: longer than events are listed, so that a retry of a late delivery has its body. */
  eventStorageDays: 31,
  /** No response of a write and no event is longer. */
  storedTextMaxBytes: 16 * 1024 * 1024,
  /** Longer than any event is stored: events show the contents that edits have replaced. */
  replacedContentDays: 45,
  /**
   * The longest wait of a task that fails, and the first one of a task that runs less often, which
   * waits at most as long as it usually does; below `announcedMs` of store/server-keys.ts.
   */
  taskRetryMaxMs: 3_000,
  /** Longer than a process of an older version runs beside a newer one. */
  countRowsEveryMs: 3_600_000,
  /** Organizations that one round counts. */
  countRowsPerRound: 100,
  purgeEveryMs: 60_000,
  purgeRowsPerRound: 5_000,
  listRowsFilledPerRound: 500,
  sealedRowsPerRound: 1_000,
} as const
