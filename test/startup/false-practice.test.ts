/** A hostile hand on the practice organizations keeps nobody else from being served. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase, testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { temporaryDirectory } from '../support/processes/cluster-processes.ts'
import { readyAddress, runProgram } from '../support/processes/program.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'

// The server must outlive the first test that uses it.
await testServer()
const { url } = await testDatabase()
const settings = {
  DATABASE_URL: url,
  SERVER_KEY: 'the one server key of these tests, 32 or more',
  DATA_DIR: temporaryDirectory(),
  PROVENANCE_KEYS_DIR: temporaryDirectory(),
}

/** Starts the service, and returns its output once it is ready and has stopped again. */
const outputOfStart = async (): Promise<string> => {
  const program = runProgram(settings)
  const address = await readyAddress(program)
  const ready = await fetch(`${address}/readyz`)
  assert.equal(ready.status, 200)
  await program.stop()
  return program.output()
}

const changes: Readonly<Record<string, string>> = {
  practice: 'update practice set organization_id = live_organization_id',
  organizations: `update organizations set name = 'X' where is_demo`,
  memberships: `delete from memberships where role = 'owner'`,
}

test('a start serves all others, raises the alarm, and makes no sessions of false rows', async () => {
  assert.match(await outputOfStart(), /provisioned a practice pair/)
  const connection = await openTestConnection(url)
  for (const [table, change] of Object.entries(changes)) {
    await whileTampered(connection, table, change, async () => {
      const output = await outputOfStart()
      assert.match(output, new RegExp(`${table} .*"event":"integrity_failure"`))
      assert.match(output, /Somebody has changed the practice organizations/)
    })
  }
  await connection.close()
  assert.match(await outputOfStart(), /Credentials of the practice organizations are in/)
})
