/** A server, database or user that allows fewer connections than a process needs. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { limits } from '../../src/contract/limits.ts'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { Connection, DatabaseUnavailable, sql } from '../../src/database/sql.ts'
import { startService } from '../../src/service.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { connectionShortage } from '../../src/startup/server-warnings.ts'
import { openLogger } from '../../src/telemetry/logger.ts'
import { callApi } from '../support/api-client.ts'
import { alterDatabase } from '../support/database/database-settings.ts'
import { dataDirOf, testDatabase, testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aPair } from '../support/fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { serverKey, startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

// The server must outlive the first test that uses it.
await testServer()

test('a process has the connection for its callers from its start on, before its tasks take the last', async () => {
  const { database } = await startTestService({ PROCESS_ROLE: 'api' })
  const held = await database.rows(sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'docex callers 0'`)
  assert.equal(held.length, 1)
})

test('a worker needs no connection for callers, at the start or to be ready', async () => {
  const { database, service } = await startTestService({
    PROCESS_ROLE: 'worker',
    METRICS_PORT: '0',
  })
  const baseUrl = `http://127.0.0.1:${service.metricsPort}`
  assert.equal((await callApi({ baseUrl }, 'GET', '/readyz')).status, 200)
  const held = await database.rows(sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'docex callers 0'`)
  assert.equal(held.length, 0)
})

test('a start without a connection for callers is refused, and leaves nothing running', async () => {
  const { url } = await testDatabase()
  const owner = await openTestConnection(url)
  await alterDatabase(owner, 'connection limit 0')
  const logs = temporaryFolder()
  const config = readConfig({
    PORT: '0',
    PROCESS_ROLE: 'api',
    DATABASE_URL: url,
    SERVER_KEY: serverKey,
    DATA_DIR: dataDirOf(url),
    PROVENANCE_KEYS_DIR: logs,
  })
  const lines: string[] = []
  const log = openLogger((line) => void lines.push(line))
  const parts = {
    config,
    databaseUrl: serviceRoleUrl(url),
    keyring: await openKeyring(config),
    log,
  }
  await assert.rejects(startService(parts), DatabaseUnavailable)
  // A watch that went on would tell of it.
  rmSync(logs, { recursive: true })
  await pause(2 * limits.rollbackLookEveryMs)
  assert.deepEqual(lines, [])
  await owner.close()
})

test('contract 3: a process that has lost the connection for its callers is not ready', async () => {
  const running = await startTestService({ PROCESS_ROLE: 'api' })
  const { database } = running
  const { issuer } = await aPair(running)
  const statuses = async () => {
    const answers = [callApi(running, 'GET', '/readyz'), callApi(running, 'GET', '/v1/me', issuer)]
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  assert.deepEqual(await statuses(), [200, 200])
  await alterDatabase(database, 'connection limit 0')
  await database.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'docex callers 0'`)
  await until('callers are refused', async () => (await statuses())[1] === 503)
  assert.deepEqual(await statuses(), [503, 503])
  await alterDatabase(database, 'connection limit -1')
  await until('callers are answered', async () => (await statuses()).every((one) => one === 200))
})

test('a start says that connections are too few, of the server, the database or the user', async () => {
  const { url } = await testDatabase()
  const owner = await openTestConnection(url)
  const shortage = async () => {
    const connection = await Connection.open(serviceRoleUrl(url), 'docex test')
    const found = await connectionShortage(connection)
    await connection.close()
    return found
  }
  assert.equal(await shortage(), undefined)
  await alterDatabase(owner, 'connection limit 12')
  assert.deepEqual(await shortage(), { allowed: 12, needed: 25 })
  await alterDatabase(owner, 'connection limit 25')
  assert.equal(await shortage(), undefined)
  await owner.close()
})
