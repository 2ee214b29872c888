/**
 * npm start: settings → PostgreSQL → schema → practice organizations → service. Prints each step.
 * SIGTERM and SIGINT end it cleanly: requests drain first, PostgreSQL stops last.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, misspelledSettings, readConfig } from './config.ts'
import type { Environment } from './startup/setting.ts'
import { startFailureText } from './startup/start-failure.ts'
import { isRefusal } from './contract/errors.ts'
import { limits } from './contract/limits.ts'
import { openKeyring } from './startup/keyring.ts'
import { migrateOrNameHolder } from './startup/open-transactions.ts'
import { claimLogKeys } from './startup/database-log-keys.ts'
import { type Logger, openLogger } from './telemetry/logger.ts'
import { checkPorts, makeDirectories } from './startup/directories-and-ports.ts'
import { type Cluster, startCluster } from './embedded-postgres/cluster.ts'
import { databaseUrlError } from './startup/database-url-error.ts'
import { prepareServiceRole } from './database/service-role.ts'
import { isTransient } from './engine/database-failures.ts'
import {
  type ProvisionResult,
  provisionPracticeOrganizations,
} from './startup/practice-organizations.ts'
import { guardAgainstRollback } from './startup/rollback-refusal.ts'
import { createSetupToken } from './changes/identity/first-owner.ts'
import { claimServerKey } from './startup/database-server-key.ts'
import { warnOfServer } from './startup/server-warnings.ts'
import { type Service, startService } from './service.ts'

interface Streams {
  stdout(text: string): void
  stderr(text: string): void
}

interface Terminal {
  print(text: string): void
  /** Prints a step with the time since the start. */
  report(step: string): void
  log: Logger
}

const terminalOn = ({ stdout, stderr }: Streams): Terminal => {
  const startedAt = performance.now()
  const print = (text: string): void => stdout(`${text}\n`)
  return {
    print,
    report: (step) => print(`${((performance.now() - startedAt) / 1000).toFixed(2)} s  ${step}`),
    log: openLogger(stderr),
  }
}

/** Runs the service until the signal arrives, whose name it prints. Returns the exit code. */
export const runService = async (
  streams: Streams,
  shutdownSignal: () => Promise<string>,
  env?: Environment,
): Promise<number> => {
  try {
    await serveUntil(terminalOn(streams), shutdownSignal, env)
    return 0
  } catch (error) {
    streams.stderr(`${startFailureText(error)}\n`)
    return 1
  }
}

const serveUntil = async (
  terminal: Terminal,
  shutdownSignal: () => Promise<string>,
  env: Environment | undefined,
): Promise<void> => {
  const { print, report, log } = terminal
  const config = readConfig(env)
  for (const { name, meant } of misspelledSettings(env))
    print(`${name} is not a setting. Did you mean ${meant}?`)
  await makeDirectories(config)
  const interrupted = shutdownSignal()
  const check = () => checkPorts(config)
  let service: Service | undefined
  const onRestart = (fault: string): void => {
    log.error({ fault }, 'postgresql_restarted')
    service?.context.metrics.count('docex_postgresql_restarts_total')
  }
  const isEmbedded = config.databaseUrl === undefined
  const cluster = isEmbedded
    ? await startCluster({ dataDir: config.dataDir, report, check, onRestart })
    : undefined
  if (!isEmbedded) await check()
  try {
    service = await serveOncePossible({ config, cluster, terminal })
    report(`${await interrupted}: finishing the requests under way`)
  } finally {
    await service?.stop()
    await cluster?.stop()
  }
  report('stopped')
}

interface Start {
  config: Config
  cluster: Cluster | undefined
  terminal: Terminal
}

/** What interrupts the embedded PostgreSQL is mended, and then the start begins again. */
const serveOncePossible = async (start: Start): Promise<Service> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await serve(start)
    } catch (error) {
      const mayPass = isTransient(error) || isRefusal(error, 'service_unavailable')
      if (start.cluster === undefined || !mayPass || attempt === limits.startAttemptsMax)
        throw error
      start.terminal.report('PostgreSQL was interrupted: starting the service again')
      await pause(limits.startAgainAfterMs)
    }
  }
}

const rollbackNotices = ({ report, log }: Terminal) => ({
  report,
  alarm: (event: string, notice: string): void => {
    report(notice)
    log.error({ notice }, event)
  },
  guardFailed: (error: unknown): void => log.error({ error }, 'rollback_guard_not_written'),
})

const serve = async ({ config, cluster, terminal }: Start): Promise<Service> => {
  const { print, report, log } = terminal
  const ownerUrl = cluster?.url ?? config.databaseUrl!
  const applied = await migrateOrNameHolder(ownerUrl).catch((error: unknown) => {
    throw cluster === undefined ? databaseUrlError(error, ownerUrl) : error
  })
  if (applied.length > 0) report(`applied ${applied.length} migrations`)
  const databaseUrl = cluster === undefined ? ownerUrl : await prepareServiceRole(ownerUrl)
  const keyring = await openKeyring(config)
  await claimServerKey(databaseUrl, keyring)
  await claimLogKeys(databaseUrl, config)
  const rollbackGuard =
    cluster && (await guardAgainstRollback(databaseUrl, config, rollbackNotices(terminal)))
  await warnOfServer(databaseUrl, terminal)
  return startService({
    config,
    databaseUrl,
    keyring,
    ...(cluster === undefined ? {} : { embeddedDatabase: cluster.health }),
    rollbackGuard,
    log,
    print,
    beforeReady: async (context, port) => {
      const baseUrl = config.port === 0 ? `http://localhost:${port}` : config.baseUrl
      const { dataDir, consoleDir } = config
      const location = { dataDir, consoleDir, isEmbedded: cluster !== undefined }
      const urls = { baseUrl, databaseUrl: cluster?.loopbackUrl ?? databaseUrl }
      const hasPractice = config.hasPracticeOrganizations && config.role !== 'worker'
      const practice = hasPractice
        ? await provisionPracticeOrganizations(context, { ...location, ...urls })
        : undefined
      if (config.webhooks.reach === 'private') {
        report('WEBHOOK_ALLOW_PRIVATE=1: sandbox webhooks may use http and private addresses')
      }
      const setupToken = await createSetupToken(context.database.read)
      printBanner(terminal, { config, baseUrl, practice })
      if (config.role !== 'worker' && setupToken !== undefined)
        print(setupText(baseUrl, setupToken))
    },
  })
}

interface Banner {
  config: Config
  baseUrl: string
  practice: ProvisionResult | undefined
}

const printBanner = ({ print, report }: Terminal, { config, baseUrl, practice }: Banner): void => {
  if (config.role === 'worker') return report(`ready for background work, without an API`)
  if (practice?.outcome === 'created') {
    report('provisioned a practice pair and two practice live organizations')
  }
  if (practice?.outcome === 'renewed') {
    report('sandbox.json was lost: created new keys for the practice organizations')
  }
  report(`ready on ${baseUrl}`)
  const { metricsPort } = config
  const metrics = metricsPort === undefined ? `${baseUrl}/metrics` : `port ${metricsPort}, /metrics`
  print(`
  API        ${baseUrl}/v1          (${config.role === 'all' ? 'with' : 'without'} background work)
  Console    ${baseUrl}/app
  Docs       ${baseUrl}/v1/docs
  MCP        ${baseUrl}/mcp
  OpenAPI    ${baseUrl}/v1/openapi.json
  Health     ${baseUrl}/readyz
  Metrics    ${metrics}

${nextSteps(baseUrl, practice)}
`)
}

/** In the fragment, which browsers keep to themselves: no log shows it. */
const setupText = (baseUrl: string, token: string): string =>
  `  Nobody owns a live organization here yet. To own the first one, within 60 minutes:

    ${baseUrl}/app/setup#t=${token}
`

const nextSteps = (baseUrl: string, practice: ProvisionResult | undefined): string => {
  if (practice === undefined) {
    return `  No practice organizations. Next: "A first live key" in docs/operating/signing-in.md`
  }
  if (practice.outcome === 'withheld') {
    return `  Somebody has changed the practice organizations in the database: see integrity_failure in the
  log. They get no new sessions; everybody else is served.`
  }
  if (practice.outcome === 'elsewhere') {
    return `  Another process of this database created the practice organizations and keeps their
  credentials in ${practice.file}
  Without that file: npm run admin -- session admin@practice.example`
  }
  return `  Credentials of the practice organizations are in ${practice.file}
  Next: the five-minute tour in README.md, or

    curl ${baseUrl}/v1/me -H "Authorization: Bearer $(node -p "require('${practice.file}').organization.api_key")"`
}

/**
 * One Ctrl-C arrives twice: from the terminal, and from npm, which forwards it. A signal just after
 * the first one therefore counts as the same request; a later Ctrl-C ends the process at once.
 */
const shutdownSignal = (): Promise<string> =>
  new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: string): void => {
      firstAt ??= performance.now()
      const isAnother = performance.now() - firstAt > limits.repeatedSignalMs
      if (signal === 'SIGINT' && isAnother) process.exit(1)
      resolve(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })

if (import.meta.main) {
  const streams = {
    stdout: (text: string) => void process.stdout.write(text),
    stderr: (text: string) => void process.stderr.write(text),
  }
  process.exit(await runService(streams, shutdownSignal))
}
