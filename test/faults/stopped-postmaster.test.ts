/**
 * A postmaster that does not react, while open connections go on: nobody notices until a connection
 * is needed. The service is back by itself (docs/decisions/0047).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import type { SandboxFile } from '../../src/startup/practice-organizations.ts'
import { callApi } from '../support/api-client.ts'
import { keepStopped, postmasterPid } from '../support/processes/cluster-processes.ts'
import { launchProgram, readyAddress } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

test('a stopped postmaster is replaced while clients read on, and /healthz tells', async (t) => {
  const dataDir = temporaryFolder()
  const program = launchProgram({ DATA_DIR: dataDir, RATE_LIMITS: 'off' })
  const baseUrl = await readyAddress(program)
  const file = readFileSync(join(dataDir, 'sandbox.json'), 'utf8')
  const { organization, database_url: databaseUrl } = JSON.parse(file) as SandboxFile
  const read = () => callApi({ baseUrl }, 'GET', '/v1/me', { key: organization.api_key })
  const health = async () => (await callApi({ baseUrl }, 'GET', '/healthz')).body.database

  assert.equal((await read()).status, 200)
  const postmaster = postmasterPid(dataDir)
  keepStopped(postmaster)
  const stoppedAt = performance.now()
  const states = new Set<string>()
  let readsWhileUnreachable = 0
  await until('it has been replaced', async () => {
    const { status } = await read()
    const { state, restarts } = await health()
    states.add(state)
    assert([200, 503].includes(status))
    if (state === 'unreachable' && status === 200) readsWhileUnreachable += 1
    return restarts === 1 && state === 'running'
  })
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  await client.end()
  const tookMs = Math.round(performance.now() - stoppedAt)
  t.diagnostic(`back after ${tookMs} ms`)
  assert.notEqual(postmasterPid(dataDir), postmaster)
  assert(states.has('unreachable') && states.has('restarting'), [...states].join())
  assert(readsWhileUnreachable > 0, 'the open connections went on')
  await until('it reads again', async () => (await read()).status === 200)
})
