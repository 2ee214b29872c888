/** The liveness, readiness and metrics of a process. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { DatabaseHealth } from '../../src/embedded-postgres/supervisor.ts'
import { sql } from '../../src/database/sql.ts'
import { healthServer } from '../../src/http/pages/health.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { openLogger } from '../../src/telemetry/logger.ts'
import { startService } from '../../src/service.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { callApi } from '../support/api-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const running = await startTestService()

test('a listening process is not ready until its startup work is done', async () => {
  const { url } = await testDatabase()
  const dataDir = temporaryFolder()
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    SERVER_KEY: 'x'.repeat(32),
    PROVENANCE_KEYS_DIR: temporaryFolder(),
  })
  const prepared = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const starting = startService({
    config: { ...config, dataDir },
    databaseUrl: url,
    keyring: await openKeyring(config),
    log: openLogger(() => {}),
    beforeReady: async (_context, port) => {
      listening.resolve(`http://127.0.0.1:${port}`)
      await prepared.promise
    },
  })
  after(async () => (await starting).stop())
  const baseUrl = await listening.promise
  assert.equal((await callApi({ baseUrl }, 'GET', '/healthz')).status, 200)
  const early = await callApi({ baseUrl }, 'GET', '/readyz')
  assert.deepEqual([early.status, early.body], [503, { status: 'not_ready', reason: 'starting' }])
  prepared.resolve()
  await starting
  assert.equal((await callApi({ baseUrl }, 'GET', '/readyz')).status, 200)
})

test('however many ask whether the service is ready, the database is asked once at a time', async (t) => {
  const [asked, database] = [{ lifecycle: 0, database: 0 }, Promise.withResolvers<undefined>()]
  const server = healthServer({
    config: { role: 'all' },
    lifecycle: () => ((asked.lifecycle += 1), 'serving'),
    isDiskFailing: () => false,
    isRolledBack: () => false,
    logFolderProblem: () => undefined,
    keyring: { seals: { isComplete: true } },
    database: {
      read: { row: () => ((asked.database += 1), database.promise) },
      credentials: { row: async () => undefined },
    },
  } as unknown as Context).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  const checks = Array.from({ length: 100 }, check)
  await until('all have asked', () => Promise.resolve(asked.lifecycle === 100))
  assert.equal(asked.database, 1)
  database.resolve(undefined)
  assert.deepEqual(new Set(await Promise.all(checks)), new Set([503]))
  assert.equal(await check(), 503)
  assert.equal(asked.database, 2)
})

test('a process without the server key under which is written is not ready', async () => {
  const { keyring } = running.service.context
  const keys = new Map([[1, keyring.seals.newest]])
  // As in a process that was suspended while a rekey was announced.
  keyring.seals.replace(keys, 2)
  const { status, body } = await callApi(running, 'GET', '/readyz')
  keyring.seals.replace(keys, 1)
  assert.deepEqual([status, body], [503, { status: 'not_ready', reason: 'server_key_missing' }])
  assert.equal((await callApi(running, 'GET', '/readyz')).status, 200)
})

test('while a lock holds the database up, /readyz says that it is busy', async () => {
  const { database } = running
  await database.run(sql`begin`)
  await database.run(sql`lock table migrations in access exclusive mode`)
  const { status, headers, body } = await callApi(running, 'GET', '/readyz')
  await database.run(sql`rollback`)
  assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  assert.deepEqual(body, { status: 'not_ready', reason: 'database_busy' })
})

test('pages are counted and logged like operations', async () => {
  const paths = ['/v1/docs', '/v1/docs.md', '/llms.txt', '/v1/openapi.yaml']
  for (const path of paths) await callApi(running, 'GET', path)
  assert.equal((await callApi(running, 'GET', '/files/nonsense')).status, 404)
  const { text } = await callApi(running, 'GET', '/metrics')
  assert.match(text, /^docex_request_log_lost_total\{reason="buffer_full"\} 0$/m)
  assert.match(text, /^docex_integrity_failures_total\{check="CHAIN"\} 0$/m)
  for (const path of paths) {
    assert(text.includes(`docex_requests_total{operation="page ${path}",status="200"} 1`), path)
    await until(`${path} is logged`, () =>
      running.logLines.some((line) => line.includes(`"path":"${path}"`)),
    )
  }
  assert(text.includes('{operation="page /files/{token}",status="404"} 1'))
})

test('metrics are not for strangers: beyond this machine they have a port of their own', async () => {
  const at = (port: number | undefined) => ({ baseUrl: `http://127.0.0.1:${port}` })
  for (const settings of [{ HOST: '0.0.0.0' }, { METRICS_PORT: '0' }]) {
    const { service } = await running.startAnother(settings)
    for (const path of ['/healthz', '/readyz']) {
      assert.equal((await callApi(at(service.port), 'GET', path)).status, 200)
      assert.equal((await callApi(at(service.metricsPort), 'GET', path)).status, 200)
    }
    assert.equal((await callApi(at(service.port), 'GET', '/metrics')).status, 404)
    const { text } = await callApi(at(service.metricsPort), 'GET', '/metrics')
    assert.match(text, /^# TYPE docex_requests_total counter$/m)
  }
  assert.equal(running.service.metricsPort, undefined)
})

test('HEAD answers the headers of a public GET, and needs credentials elsewhere', async () => {
  for (const path of ['/v1/docs', '/v1/openapi.json', '/v1/enablement', '/healthz']) {
    const [head, get] = [await callApi(running, 'HEAD', path), await callApi(running, 'GET', path)]
    assert.deepEqual([head.status, head.text], [200, ''], path)
    for (const name of ['content-type', 'content-length', 'etag']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    }
  }
  assert.equal((await callApi(running, 'HEAD', '/v1/documents')).status, 401)
})

test('/healthz shows the embedded PostgreSQL, and fails when it is neither mended nor recovering in time', async () => {
  const { url } = await testDatabase()
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: url,
    SERVER_KEY: 'x'.repeat(32),
    PROVENANCE_KEYS_DIR: temporaryFolder(),
  })
  let database: DatabaseHealth = { state: 'running', since: new Date(0), restarts: 0 }
  const service = await startService({
    config: { ...config, dataDir: temporaryFolder(), provenanceKeysDir: temporaryFolder() },
    databaseUrl: url,
    keyring: await openKeyring(config),
    log: openLogger(() => {}),
    embeddedDatabase: () => database,
  })
  after(() => service.stop())
  const health = async (state: DatabaseHealth['state'], secondsAgo: number) => {
    const since = new Date(Date.now() - secondsAgo * 1000)
    database = { state, since, restarts: 1 }
    const baseUrl = `http://127.0.0.1:${service.port}`
    const { status, body } = await callApi({ baseUrl }, 'GET', '/healthz')
    assert.deepEqual(body.database, { state, since: since.toISOString(), restarts: 1 })
    return [status, body.status, body.reason]
  }
  assert.deepEqual(await health('running', 1_000), [200, 'ok', undefined])
  assert.deepEqual(await health('unreachable', 5), [200, 'ok', undefined])
  assert.deepEqual(await health('restarting', 20), [200, 'ok', undefined])
  assert.deepEqual(await health('recovering', 600), [200, 'ok', undefined])
  const failing = [503, 'failing', 'database_unreachable']
  assert.deepEqual(await health('unreachable', 31), failing)
  assert.deepEqual(await health('restarting', 31), failing)
})
