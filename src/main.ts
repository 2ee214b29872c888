/**
 * npm start: settings → PostgreSQL → schema → practice organizations → service. Says what it is
 * doing; ends cleanly on SIGTERM and SIGINT: requests drain first, PostgreSQL stops last.
 */
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Config, SettingError, readConfig } from './config.ts'
import { openKeyring } from './keyring.ts'
import { jsonLog } from './log.ts'
import { type Cluster, startCluster } from './postgres/cluster.ts'
import { migrate } from './postgres/migrate.ts'
import { provision } from './provision.ts'
import { type Service, startService } from './service.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)

const report = (() => {
  const startedAt = performance.now()
  return (step: string) => say(`${((performance.now() - startedAt) / 1000).toFixed(2)} s  ${step}`)
})()

const main = async (): Promise<void> => {
  const config = readConfig()
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const interrupted = new Promise<string>((done) => {
    process.once('SIGTERM', done)
    process.once('SIGINT', done)
  })
  const cluster =
    config.databaseUrl === undefined
      ? await startCluster({ dataDir: config.dataDir, report })
      : undefined
  let service: Service | undefined
  try {
    service = await serve(config, cluster)
    const reason = await Promise.race([interrupted, lossOf(cluster)])
    report(`${reason}: finishing the requests under way`)
  } finally {
    // A second signal does not wait.
    process.once('SIGINT', () => process.exit(1))
    await service?.stop()
    await cluster?.stop()
  }
  report('stopped')
}

/**
 * A service whose database is gone ends with it, so that whoever supervises it starts both anew.
 */
const lossOf = async (cluster: Cluster | undefined): Promise<string> => {
  if (cluster === undefined) return new Promise(() => {})
  await cluster.ended
  process.exitCode = 1
  return 'PostgreSQL ended by itself (see postgres.log)'
}

const serve = async (config: Config, cluster: Cluster | undefined): Promise<Service> => {
  const databaseUrl = cluster?.url ?? config.databaseUrl!
  const applied = await migrate(databaseUrl)
  if (applied.length > 0) report(`applied ${applied.length} migrations`)
  return startService({
    config,
    databaseUrl,
    keyring: await openKeyring(config),
    log: jsonLog((line) => process.stderr.write(line), { calls: config.logsCalls }),
    prepare: async (context, port) => {
      const baseUrl = config.port === 0 ? `http://localhost:${port}` : config.baseUrl
      const { file, isFirst } = await provision(context, {
        dataDir: config.dataDir,
        baseUrl,
        databaseUrl: cluster?.loopbackUrl ?? databaseUrl,
      })
      if (isFirst) report('provisioned a practice pair and two practice live organizations')
      report(`ready on ${baseUrl}`)
      if (config.webhooks.allowsPrivate) {
        report('WEBHOOK_ALLOW_PRIVATE=1: webhooks of sandbox organizations may be private and http')
      }
      welcome(config, baseUrl, file)
    },
  })
}

const welcome = (config: Config, baseUrl: string, file: string): void => {
  say(`
  API        ${baseUrl}/v1          (${config.role === 'all' ? 'with background work' : config.role})
  Docs       ${baseUrl}/v1/docs
  OpenAPI    ${baseUrl}/v1/openapi.json
  Health     ${baseUrl}/readyz

  Credentials of the practice organizations are in ${resolve(file)}
  Next: the five-minute tour in README.md, or

    curl ${baseUrl}/v1/me -H "Authorization: Bearer $(node -p "require('${resolve(file)}').organization.api_key")"
`)
}

try {
  await main()
  process.exit()
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  const isSetting = error instanceof SettingError
  process.stderr.write(isSetting ? `${reason}\n` : `The service could not start: ${reason}\n`)
  process.exit(1)
}
