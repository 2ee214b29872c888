/**
 * One process of the service over a migrated database: the context, the HTTP server, the tasks, and
 * the order in which they end. Used by main, by the tests and by the benchmark.
 */
import type { AddressInfo } from 'node:net'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { limits } from './contract/limits.ts'
import { openFiles } from './files/files.ts'
import { openEngine } from './engine/engine.ts'
import { openAuthentication } from './http/authenticate.ts'
import { filePage } from './http/file-page.ts'
import { processorWebhook } from './http/processor-webhook.ts'
import { healthPages, healthServer } from './http/health.ts'
import { pages } from './http/pages.ts'
import { openRates } from './http/rates.ts'
import { discardLeftovers } from './http/upload.ts'
import { buildServer } from './http/server.ts'
import type { Keyring } from './keyring.ts'
import type { Log } from './log.ts'
import { openMetrics } from './metrics.ts'
import { operations } from './operations/index.ts'
import { openDatabase } from './sql.ts'
import { documentsFor } from './store/documents.ts'
import { gather } from './store/gather.ts'
import { openKeyUse } from './store/key-use.ts'
import { openRequestLog } from './store/requests.ts'
import { simulator } from './rails/simulator.ts'
import { openStripe } from './rails/stripe.ts'
import { applyRailEvent } from './tasks/rail-events.ts'
import { runDue, tasks } from './tasks/index.ts'
import { runTasks } from './tasks/runner.ts'

export interface Service {
  context: Context
  /** The port it answers on; 0 for a worker without an API. */
  port: number
  /** Takes no new connections, finishes what runs, then lets go of the database. */
  stop(): Promise<void>
}

export interface Parts {
  config: Config
  databaseUrl: string
  keyring: Keyring
  log: Log
  /** What has to be done before the service calls itself ready; it listens by then. */
  prepare?: (context: Context, port: number) => Promise<void>
}

export const startService = async (parts: Parts): Promise<Service> => {
  const { config, keyring, log } = parts
  const database = openDatabase(parts.databaseUrl)
  const engine = openEngine(database, {
    retention: { idempotencyMs: config.idempotencyRetentionMs, serverKey: keyring.replies },
  })
  const keyUse = openKeyUse(database.read, log)
  const metrics = openMetrics()
  const requestLog = openRequestLog(database, log, (reason, count) =>
    metrics.count('docex_request_log_lost_total', `reason="${reason}"`, count),
  )
  let standing: ReturnType<Context['standing']> = 'starting'
  const money = railsFor(config, () => context)
  const context: Context = {
    config,
    database,
    engine,
    keyring,
    files: openFiles(config),
    log,
    ...money,
    runDue: (organizations) => runDue(context, organizations),
    keyUsed: keyUse.note,
    requestAnswered: requestLog.note,
    standing: () => standing,
    metrics,
    documents: gather((keys) => documentsFor(database.read, keys)),
  }
  const rates = openRates(config.rates.policies, config.rates.enforced)
  const authenticate = openAuthentication(database.read)
  const api = buildServer({ context, authenticate, rates }, operations, [
    ...pages,
    filePage,
    ...healthPages,
    ...(config.stripe === undefined ? [] : [processorWebhook]),
  ])
  const runner = config.role === 'api' ? undefined : runTasks(context, tasks)
  const health = config.metricsPort === undefined ? undefined : healthServer(context)
  let port = 0
  try {
    if (config.role !== 'worker') {
      await api.listen({ port: config.port, host: config.host })
      port = (api.server.address() as AddressInfo).port
      // A port that was not chosen is known only now.
      if (config.port === 0) {
        context.config = { ...config, baseUrl: config.baseUrl.replace(/:0$/, `:${port}`) }
      }
    }
    if (health !== undefined) await listen(health, config.metricsPort!, config.host)
    await discardLeftovers(config)
    await parts.prepare?.(context, port)
    standing = 'serving'
  } catch (error) {
    health?.close()
    await Promise.all([runner?.stop(), keyUse.stop(), requestLog.stop(), api.close()])
    await database.close()
    throw error
  }
  const stop = async () => {
    standing = 'draining'
    await Promise.race([api.close(), after(limits.drainMaxMs)])
    await runner?.stop()
    await engine.drained()
    await Promise.all([keyUse.stop(), requestLog.stop()])
    health?.close()
    await database.close()
  }
  let stopping: Promise<void> | undefined
  return { context, port, stop: () => (stopping ??= stop()) }
}

/** The simulator for sandboxes, and the processor of live organizations if there is one. */
const railsFor = (
  config: Config,
  context: () => Context,
): Pick<Context, 'rails' | 'takeRailEvent'> => {
  const stripe = config.stripe === undefined ? undefined : openStripe(config.stripe)
  const all = stripe === undefined ? [simulator] : [simulator, stripe.rail]
  return {
    rails: new Map(all.map((rail) => [rail.id, rail])),
    takeRailEvent: async (raw, signature) => {
      const event = stripe?.readEvent(raw, signature)
      return event && applyRailEvent(context(), 'stripe', event)
    },
  }
}

const listen = (server: import('node:http').Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms).unref())
