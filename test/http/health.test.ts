/** What an operator asks a process: does it live, is it ready, what has it counted. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { jsonLogger } from '../../src/telemetry/log.ts'
import { startService } from '../../src/service.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { callApi, startTestService, until } from '../support/service.ts'

const running = await startTestService()

test('a process that listens is not ready before it has done what it starts with', async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'docex-health-'))
  const config = readConfig({ PORT: '0', DATABASE_URL: url, SERVER_KEY: 'x'.repeat(32) })
  const prepared = Promise.withResolvers<void>()
  const listening = Promise.withResolvers<string>()
  const starting = startService({
    config: { ...config, dataDir },
    databaseUrl: url,
    keyring: await openKeyring(config),
    log: jsonLogger(() => {}, { calls: false }),
    beforeReady: async (_context, port) => {
      listening.resolve(`http://127.0.0.1:${port}`)
      await prepared.promise
    },
  })
  after(async () => {
    await (await starting).stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const baseUrl = await listening.promise
  assert.equal((await callApi({ baseUrl }, 'GET', '/healthz')).status, 200)
  const early = await callApi({ baseUrl }, 'GET', '/readyz')
  assert.deepEqual([early.status, early.body], [503, { status: 'not_ready', reason: 'starting' }])
  prepared.resolve()
  await starting
  assert.equal((await callApi({ baseUrl }, 'GET', '/readyz')).status, 200)
})

test('pages are counted and logged like operations', async () => {
  const paths = ['/v1/docs', '/v1/docs.md', '/llms.txt', '/v1/openapi.yaml']
  for (const path of paths) await callApi(running, 'GET', path)
  assert.equal((await callApi(running, 'GET', '/files/nonsense')).status, 404)
  const { text } = await callApi(running, 'GET', '/metrics')
  assert.match(text, /^docex_request_log_lost_total\{reason="buffer_full"\} 0$/m)
  assert.match(text, /^docex_integrity_failures_total 0$/m)
  for (const path of paths) {
    assert(text.includes(`docex_requests_total{operation="page ${path}",status="200"} 1`), path)
    await until(`${path} is logged`, () =>
      running.logLines.some((line) => line.includes(`"path":"${path}"`)),
    )
  }
  assert(text.includes('{operation="page /files/{token}",status="404"} 1'))
})

test('HEAD of what everybody may read answers the headers alone, elsewhere it is no method', async () => {
  for (const path of ['/v1/docs', '/v1/openapi.json', '/v1/enablement', '/healthz']) {
    const [head, get] = [await callApi(running, 'HEAD', path), await callApi(running, 'GET', path)]
    assert.deepEqual([head.status, head.text], [200, ''], path)
    for (const name of ['content-type', 'content-length', 'etag']) {
      assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
    }
  }
  assert.equal((await callApi(running, 'HEAD', '/v1/documents')).status, 401)
})
