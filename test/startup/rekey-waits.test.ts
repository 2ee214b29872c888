/**
 * Provenance 8: a rekey that cannot go on says for which transaction it waits, gives up after a
 * bound with the remedy, and goes on when it is given again. The tests are the steps of one rekey.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { rekeyState } from '../../src/startup/rekey.ts'
import { sql } from '../../src/database/sql.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aPair } from '../support/fixtures.ts'
import { type CommandResult, runAdmin } from '../support/processes/program.ts'
import { serverKey, startTestService } from '../support/test-service.ts'
import { inTime } from '../support/until.ts'

const both = {
  SERVER_KEY: 'the server key to which the test moves, 32',
  SERVER_KEY_PREVIOUS: serverKey,
}
const running = await startTestService()
await aPair(running)
await running.service.stop()
const { database, databaseUrl } = running

const rekey = (...args: string[]): Promise<CommandResult> =>
  inTime('rekey ends', runAdmin(['rekey', ...args], { DATABASE_URL: databaseUrl, ...both }))

/** A connection in a transaction, which ends with the test. */
const aTransaction = async (t: TestContext, name: string) => {
  const connection = await openTestConnection(databaseUrl, name)
  t.after(() => connection.destroy())
  await connection.run(sql`begin`)
  const [own] = await connection.rows<{ pid: number; since: string }>(
    sql`select pg_backend_pid() as pid, now() as since`,
  )
  return { connection, ...own! }
}

/** The transaction's name, process and beginning, as `pg_stat_activity` has them. */
const descriptionOf = (name: string, { pid, since }: { pid: number; since: string }) =>
  `the transaction of "${name}" (pid ${pid}, idle in transaction, begun ${since})`

const assertGaveUp = async ({ exitCode, stdout, stderr }: CommandResult, what: string) => {
  assert.equal(exitCode, 1, stdout + stderr)
  assert(stdout.includes(`Waits for ${what}`), stdout)
  assert(stderr.startsWith(`Waited 2 s for ${what}`), stderr)
  assert.match(stderr, /pg_terminate_backend\(\d+\);, and give the command again/)
  assert.equal(await rekeyState(database), 'resealing')
}

test('a rekey names the transaction of the service that began before it', async (t) => {
  const older = await aTransaction(t, 'docex older')
  const what = `${descriptionOf('docex older', older)}, that began before`
  await assertGaveUp(await rekey('--wait', '2'), what)
  // It has announced the key already, and waits for the transaction all the same.
  await assertGaveUp(await rekey('--wait', '2'), what)
})

test('a rekey names the transaction that locks a row which it has to seal', async (t) => {
  const locking = await aTransaction(t, 'psql')
  await locking.connection.run(sql`select 1 from connections for update`)
  const shown = descriptionOf('psql', locking)
  await assertGaveUp(await rekey('--wait', '2'), `${shown}, that may lock rows of connections`)
})

test('once the transactions have ended, the same command completes the rekey', async () => {
  const { exitCode, stdout, stderr } = await rekey('--wait', '60')
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /connections: 1 rows sealed anew/)
  assert.match(stdout, /All rows are sealed under the new key/)
})

test('the bound of the wait is a whole number of seconds', async () => {
  for (const wait of ['0', '1.5', '-1', 'long', '100000']) {
    const { exitCode, stderr } = await rekey('--wait', wait)
    assert.equal(exitCode, 1, stderr)
    assert.match(stderr, /--wait must be a whole number of seconds/)
  }
})
