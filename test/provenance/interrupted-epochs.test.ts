/**
 * A log whose new epoch was interrupted goes on as before, since nothing of it was committed. Its
 * name never gets another key.
 */
import assert from 'node:assert/strict'
import { cp, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openNotary } from '../../src/notary/notary.ts'
import { callApi } from '../support/api-client.ts'
import { keysDirOf } from '../support/database/postgres.ts'
import { aPair, anInvoice } from '../support/fixtures.ts'
import { runAdminOnService } from '../support/processes/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService()
const pair = await aPair(running)
const { key } = pair.issuer
const keysDir = keysDirOf(running.databaseUrl)
const folder = join(keysDir, 'test')

const keysOf = async () => (await callApi(running, 'GET', '/v1/log/keys', { key })).body
const exportOf = (id: string) => callApi(running, 'GET', `/v1/documents/${id}/export`, { key })

/** As if new-log-epoch had died there. */
const archive = () => rename(folder, `${folder}.epoch-1`)

test('a process that runs puts the folder back, and so does the next command', async () => {
  const before = await keysOf()
  const { id } = await anInvoice(running, pair)
  assert.equal((await exportOf(id)).status, 200)
  await archive()
  assert.deepEqual(await keysOf(), before)
  assert.equal((await exportOf((await anInvoice(running, pair)).id)).status, 200)
  await archive()
  const begun = await runAdminOnService(running, 'new-log-epoch', '--log', 'test')
  assert.equal(begun.exitCode, 0, begun.output)
  assert.match((await keysOf()).origin, /\/test\/2$/)
  assert.equal((await exportOf(id)).status, 200)
})

test('a start never names a key after an epoch that is archived', async () => {
  const config = { provenanceKeysDir: temporaryFolder(), provenanceOrigin: 'localhost' }
  const path = (name: string) => join(config.provenanceKeysDir, name)
  const { keys } = await (await openNotary(config)).log('test')
  const keysNow = async () => (await (await openNotary(config)).log('test')).keys
  await rename(path('test'), path('test.epoch-1'))
  assert.deepEqual(await keysNow(), keys)

  // What a start has left there that knew nothing of interrupted epochs.
  await cp(path('test'), path('test.epoch-1'), { recursive: true })
  const text = await readFile(path('test/keys.json'), 'utf8')
  await mkdir(path('test/signed'), { recursive: true })
  await writeFile(path('test/keys.json'), text.replace(/"added_at": "[^"]+"/, '"added_at": ""'))
  assert.deepEqual(await keysNow(), keys)
  const unused = (await readdir(config.provenanceKeysDir)).filter((name) =>
    name.startsWith('test.unused-'),
  )
  assert.equal(unused.length, 1)
})
