/** Starts the service for a test file, on a real PostgreSQL; it stops when the file ends. */
import { after } from 'node:test'
import { type Config, readConfig } from '../../src/config.ts'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { Connection } from '../../src/database/sql.ts'
import type { Resolve } from '../../src/outbound/egress.ts'
import { type Service, startService } from '../../src/service.ts'
import { claimServerKey } from '../../src/startup/database-server-key.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { openLogger } from '../../src/telemetry/logger.ts'
import { dataDirOf, keysDirOf, testDatabase } from './database/postgres.ts'
import { openTestConnection } from './database/test-connection.ts'

export interface TestService {
  service: Service
  baseUrl: string
  databaseUrl: string
  database: Connection
  /** The log lines written so far. */
  logLines: string[]
  /** Starts a second instance of the service on the same database. */
  startAnother(settings?: Record<string, string>): Promise<TestService>
}

/** Keeps tests away from DNS. */
const resolveTestName: Resolve = async (name) =>
  name === 'public.example' ? ['93.184.216.34'] : []

export const serverKey = 'test server key, 32 characters or more'

export const startTestService = async (
  settings: Record<string, string> = {},
  overrides: { url?: string; resolve?: Resolve } = {},
): Promise<TestService> => {
  const url = overrides.url ?? (await testDatabase()).url
  const config: Config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    SERVER_KEY: serverKey,
    DATA_DIR: dataDirOf(url),
    RATE_LIMITS: 'off',
    LOG_CALLS: '1',
    PROVENANCE_KEYS_DIR: keysDirOf(url),
    ...settings,
  })
  const logLines: string[] = []
  const keyring = await openKeyring(config)
  await claimServerKey(serviceRoleUrl(url), keyring)
  const service = await startService({
    config,
    databaseUrl: serviceRoleUrl(url),
    keyring,
    log: openLogger((line) => void logLines.push(line)),
    resolve: overrides.resolve ?? resolveTestName,
  })
  const database = await openTestConnection(url, 'docex test', {
    seals: service.context.database.read.seals,
  })
  after(async () => {
    await database.close()
    await service.stop()
  })
  return {
    service,
    baseUrl: `http://127.0.0.1:${service.port}`,
    databaseUrl: url,
    database,
    logLines,
    startAnother: (more = {}) => startTestService({ ...settings, ...more }, { ...overrides, url }),
  }
}
