/** A rekey of a service with the embedded PostgreSQL, whose server key is a file in DATA_DIR. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { callApi } from '../support/api-client.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'
import { launchProgram, readyAddress, runAdmin } from '../support/processes/program.ts'

test('with the embedded PostgreSQL, the file of the server key is all that it takes, and one command moves it', async () => {
  const DATA_DIR = temporaryDirectory()
  const program = launchProgram({ DATA_DIR })
  const baseUrl = await readyAddress(program)
  const { organization } = JSON.parse(await readFile(join(DATA_DIR, 'sandbox.json'), 'utf8'))
  const file = join(DATA_DIR, 'server.key')
  const oldKey = await readFile(file, 'utf8')
  const use = async () => {
    const path = '/v1/documents?limit=1'
    const reply = await callApi({ baseUrl }, 'GET', path, { key: organization.api_key })
    assert.equal(reply.status, 200, reply.text)
  }
  await use()
  const both = await Promise.all(['rekey', 'rekey'].map((one) => runAdmin([one], { DATA_DIR })))
  const [rekeyed, refused] = both.toSorted((a, b) => a.exitCode - b.exitCode)
  assert.equal(rekeyed!.exitCode, 0, rekeyed!.stderr)
  assert.match(refused!.stderr, /^Another rekey runs on this database: .*\n$/)
  const [firstKey, ...newKeys] = (await readFile(file, 'utf8')).split('\n')
  assert.deepEqual([firstKey, newKeys.length], [oldKey, 1])
  await use()
  const finished = await runAdmin(['rekey', '--finish'], { DATA_DIR })
  assert.match(finished.stdout, /API keys: \d+/, finished.stderr)
  assert.equal((await readFile(file, 'utf8')).split('\n').length, 2)
  await program.stop()
})
