/**
 * One process of the service on a migrated database: builds the context, starts the HTTP server and
 * the background work, and stops them in order. Used by main, the tests and the benchmark.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from './config.ts'
import type { Context, Metrics } from './context.ts'
import { limits } from './contract/limits.ts'
import { turns } from './contract/work-classes.ts'
import { diskFileStore } from './files/disk.ts'
import type { FileStore } from './files/file-store.ts'
import { type BrokenSeal, openRowSeals } from './database/row-seals.ts'
import { openCredentialMoves } from './changes/identity/moved-credentials.ts'
import { sealAlarm } from './changes/provenance/integrity-failure.ts'
import { isDiskFailure, outageEvent } from './engine/database-failures.ts'
import { type EngineOptions, openEngine } from './engine/engine.ts'
import { openAuthenticator } from './http/admission/authenticator.ts'
import { openCallerAddresses } from './http/admission/caller-addresses.ts'
import { allPages } from './http/pages/all-pages.ts'
import { healthServer } from './http/pages/health.ts'
import { openRateLimits } from './http/admission/rate-limits.ts'
import { openLiveStreams } from './http/streaming/live-streams.ts'
import { removeStaleUploads } from './http/parsing/upload.ts'
import { buildServer } from './http/server.ts'
import type { Keyring } from './startup/keyring.ts'
import { openRollbackWatch } from './startup/rollback-watch.ts'
import type { Logger } from './telemetry/logger.ts'
import { openIdentityProviders } from './oidc/open-identity-providers.ts'
import { openMailer } from './mail/open-mailer.ts'
import { openMetrics } from './telemetry/metrics.ts'
import { noTracing } from './telemetry/tracing.ts'
import { openWitnesses } from './notary/witnesses.ts'
import { type Notary, openNotary } from './notary/notary.ts'
import type { RollbackGuard } from './notary/guard-records.ts'
import { operations } from './operations/index.ts'
import type { Resolve } from './outbound/egress.ts'
import { type Outbound, openOutbound } from './outbound/client.ts'
import { openPdfMaker } from './pdf/pdf-maker.ts'
import { openProofChecks } from './threads/proof-checks.ts'
import { listenOn, portError } from './startup/directories-and-ports.ts'
import { type Database, openDatabase } from './database/pool.ts'
import { databaseError, portOfServer, sql } from './database/sql.ts'
import { openFeedNotifier } from './store/webhooks/feed-notify.ts'
import { openDocumentLookUp } from './store/documents/documents.ts'
import { FairQueue } from './database/fair-queue.ts'
import { openTileTreeCache } from './store/provenance/tiles.ts'
import type { DatabaseHealth } from './embedded-postgres/supervisor.ts'
import { openKeyLastUsed } from './store/identity/key-last-used.ts'
import { type LossReason, openRequestLog } from './store/request-log.ts'
import { simulator } from './rails/simulator.ts'
import { performAsSystem } from './tasks/system-write.ts'
import { applyRailEvent } from './tasks/rail-events.ts'
import { sandboxWorkOf } from './tasks/index.ts'
import { type Background, startBackground } from './background.ts'

export interface Service {
  context: Context
  /** The port of the API; 0 for a worker without one. */
  port: number
  /** Undefined if metrics are on the port of the API. */
  metricsPort: number | undefined
  /** Accepts no new connections, finishes requests and work in progress, closes the database. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  config: Config
  databaseUrl: string
  keyring: Keyring
  log: Logger
  /** The state of the PostgreSQL that this process runs, if it runs one. */
  embeddedDatabase?: () => DatabaseHealth
  /** Remembers outside of the database what it contained. */
  rollbackGuard?: RollbackGuard | undefined
  /** Runs once the service listens and before it reports ready. */
  beforeReady?: (context: Context, port: number) => Promise<void>
  /** Shows a text on the output; absent = nobody looks there. */
  print?: (text: string) => void
  /** Resolves the names of third parties; absent = DNS. */
  resolve?: Resolve
}

export const startService = async (parts: ServiceOptions): Promise<Service> => {
  const { config, keyring, log } = parts
  const { outbound, ownPorts } = openGuardedOutbound(parts)
  const notary = await openNotaryOf(parts, outbound)
  const database = openDatabase(parts.databaseUrl, openRowSeals(keyring.seals, keyring.renew))
  const refuseBrokenSeal = (error: BrokenSeal) => sealAlarm(context, error)
  const { engine, isDiskFailing } = openEngineOf(parts, database, { notary, refuseBrokenSeal })
  const keyUse = openKeyLastUsed(database.background, log)
  const { metrics, tracing, stop: stopTelemetry } = await openTelemetryOf(config)
  const requestLog = openCountedRequestLog(database, log, metrics)
  let lifecycle: ReturnType<Context['lifecycle']> = 'starting'
  const rollback = openRollbackWatch(() => context)
  const context: Context = {
    config,
    database,
    engine,
    keyring,
    fileStore: await openFileStore(config),
    log,
    embeddedDatabase: parts.embeddedDatabase,
    ...(await openRails(config, outbound, () => context)),
    sandboxWork: sandboxWorkOf(() => context),
    performAsSystem: (...asked) => performAsSystem(context, ...asked),
    outbound,
    mailer: await openMailer(config.smtp),
    identityProviders: openIdentityProviders(config.oidcProviders, outbound),
    print: parts.print ?? (() => {}),
    ...openThreadedWork(),
    notary,
    tileTree: openTileTreeCache(),
    recordKeyUse: keyUse.note,
    logRequest: requestLog.note,
    lifecycle: () => lifecycle,
    isDiskFailing,
    ...rollback.findings,
    metrics,
    tracing,
    documentById: openDocumentLookUp(database.read),
    refuseBrokenSeal,
  }
  const moves = openCredentialMoves(database, log)
  const api = buildApi(context, moves.move)
  let background: Background | undefined
  const health = config.metricsPort === undefined ? undefined : healthServer(context)
  const ports: { api: number; metrics?: number } = { api: 0 }
  const stop = async () => {
    lifecycle = 'draining'
    void background?.stopDeliveries()
    await Promise.race([api.close(), delay(limits.drainMaxMs, undefined, { ref: false })])
    await background?.stop()
    await engine.drained()
    await Promise.all([keyUse.stop(), requestLog.stop(), moves.stop(), rollback.stop()])
    health?.close()
    await Promise.all([database.close(), stopTelemetry(), stopThreads(context)])
  }
  try {
    await Promise.all([rollback.start(), connectForCallers(context)])
    background = startBackground(context)
    if (config.role !== 'worker') ownPorts.push((ports.api = await listenApi(api, context)))
    if (health !== undefined) ownPorts.push((ports.metrics = await listenHealth(health, config)))
    await removeStaleUploads(config)
    await parts.beforeReady?.(context, ports.api)
    lifecycle = 'serving'
  } catch (error) {
    await stop()
    throw error
  }
  let stopping: Promise<void> | undefined
  return { context, port: ports.api, metricsPort: ports.metrics, stop: () => (stopping ??= stop()) }
}

const openThreadedWork = () => ({ pdfs: openPdfMaker(), proofs: openProofChecks() })

const stopThreads = ({ pdfs, proofs }: Context): Promise<unknown> =>
  Promise.all([pdfs.stop(), proofs.stop()])

/** The background work may take the last connections: without this one, nobody is answered. */
const connectForCallers = async ({ config, database }: Context): Promise<void> => {
  if (config.role !== 'worker') await database.credentials.run(sql`select`)
}

const openNotaryOf = ({ config, rollbackGuard }: ServiceOptions, outbound: Outbound) =>
  openNotary(config, rollbackGuard, openWitnesses(config.witnessing, outbound))

const openCountedRequestLog = (database: Database, log: Logger, metrics: Metrics) =>
  openRequestLog(database, log, (reason: LossReason, count: number) =>
    metrics.count('docex_request_log_lost_total', `reason="${reason}"`, count),
  )

/** The ports that the system chooses are added once they are known. */
const openGuardedOutbound = ({ config, databaseUrl, resolve }: ServiceOptions) => {
  const ownPorts = [config.port, config.metricsPort ?? 0, portOfServer(databaseUrl)]
  return { outbound: openOutbound(resolve, () => ownPorts), ownPorts }
}

type CredentialMoves = ReturnType<typeof openCredentialMoves>

/** Whether a write failed lately because of the database's disk. */
const openDiskState = () => {
  let failedAtMs = -Infinity
  return {
    noteFailure: () => {
      failedAtMs = performance.now()
    },
    isFailing: () => performance.now() - failedAtMs < limits.diskFailureShownMs,
  }
}

/** The AWS SDK costs time and memory, so it is loaded only where a store is configured. */
const openFileStore = async ({ s3, dataDir }: Config): Promise<FileStore> => {
  if (s3 === undefined) return diskFileStore(dataDir)
  const { s3FileStore } = await import('./files/s3.ts')
  return s3FileStore(s3)
}

/** The SDK of OpenTelemetry is loaded only for deployments that name a collector. */
const openTelemetryOf = async ({ otlpEndpoint }: Config) => {
  const metrics = openMetrics()
  if (otlpEndpoint === undefined) return { metrics, tracing: noTracing, stop: async () => {} }
  const { openTelemetry } = await import('./telemetry/open-telemetry.ts')
  const { tracing, exporting, stop } = openTelemetry(otlpEndpoint)
  return { metrics: exporting(metrics), tracing, stop }
}

const buildApi = (context: Context, moveCredential: CredentialMoves['move']) => {
  const { config, database } = context
  const rateLimits = openRateLimits(config.rateLimits)
  const authenticator = openAuthenticator(database.credentials, moveCredential)
  const addressOf = openCallerAddresses(config.trustedProxies)
  const pipeline = {
    context,
    authenticator,
    rateLimits,
    addressOf,
    uploads: new FairQueue(turns.uploads),
    fileReads: new FairQueue(turns.fileReads),
    listDownloads: new FairQueue(turns.listDownloads),
    fileDownloads: new FairQueue(turns.fileDownloads),
    fileChecks: new FairQueue(turns.fileChecks),
    streams: openLiveStreams(context),
  }
  return buildServer(pipeline, operations, allPages(config))
}

/** Returns the port, which the system chooses if the setting is 0. */
const listenApi = async (api: ReturnType<typeof buildApi>, context: Context): Promise<number> => {
  const { config } = context
  await api
    .listen({ port: config.port, host: config.host })
    .catch((error) => Promise.reject(portError(error, 'PORT', config.port, config.host)))
  const { port } = api.server.address() as AddressInfo
  if (config.port === 0) {
    context.config = { ...config, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) }
  }
  return port
}

const listenHealth = async (server: Server, { metricsPort, host }: Config): Promise<number> => {
  await listenOn(server, 'METRICS_PORT', metricsPort!, host)
  return (server.address() as AddressInfo).port
}

const openStripeOf = async ({ stripe }: Config, outbound: Outbound) => {
  if (stripe === undefined) return undefined
  // Loading the library takes 0.1 s.
  const { openStripe } = await import('./rails/stripe.ts')
  return openStripe(stripe, outbound)
}

/** The simulator for sandboxes, and the processor of live organizations if there is one. */
const openRails = async (
  config: Config,
  outbound: Outbound,
  context: () => Context,
): Promise<Pick<Context, 'rails' | 'receiveRailEvent'>> => {
  const stripe = await openStripeOf(config, outbound)
  const all = stripe === undefined ? [simulator] : [simulator, stripe.rail]
  return {
    rails: new Map(all.map((rail) => [rail.id, rail])),
    receiveRailEvent: async (raw, signature) => {
      const event = stripe?.readEvent(raw, signature)
      return event && applyRailEvent(context(), 'stripe', event)
    },
  }
}

type EngineParts = Pick<EngineOptions, 'refuseBrokenSeal'> & { notary: Notary }

const openEngineOf = (
  { config, keyring, log }: ServiceOptions,
  database: Database,
  { notary, refuseBrokenSeal }: EngineParts,
) => {
  const disk = openDiskState()
  const engine = openEngine(database, {
    lastLoggedSeq: notary.lastLoggedSeq,
    idempotency: { idempotencyMs: config.idempotencyRetentionMs, serverKeys: keyring.idempotency },
    onCommit: openFeedNotifier(database.background),
    onTransientFailure: (error) => {
      if (isDiskFailure(error)) disk.noteFailure()
      log.error({ error, sqlstate: databaseError(error)?.code }, outageEvent(error))
    },
    refuseBrokenSeal,
  })
  return { engine, isDiskFailing: disk.isFailing }
}
