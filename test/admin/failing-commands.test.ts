/** How a command of `npm run admin` fails: its exit status, and one line that says what to do. */
import assert from 'node:assert/strict'
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '../../src/database/sql.ts'
import { startDatabaseProxy } from '../support/database/database-proxy.ts'
import { alterDatabase } from '../support/database/database-settings.ts'
import { testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { loopbackUrl } from '../support/engine/engine-fixture.ts'
import { anOrganization } from '../support/fixtures.ts'
import { adminClient } from '../support/processes/admin-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { serverKey, startTestService } from '../support/test-service.ts'

const running = await startTestService()
const { admin, expectRefused } = adminClient(running)

test('an unknown command or option exits 2, with the closest one or the usage', async () => {
  const cases: [string[], RegExp][] = [
    [[], /All commands:\n  organization create --name <name>/],
    [['organization'], /^Usage: npm run admin -- organization/],
    [['organisation', 'create'], /unknown command 'organisation'\n\(Did you mean organization\?\)/],
    [['linked'], /unknown command 'linked'\n\(Did you mean link\?\)/],
    [['organization', 'create', '--name', 'N', '--name', 'M'], /It is given twice/],
    [['organization', 'create'], /required option '--name <name>' not specified/],
    [['organization', 'create', '--name', ' '], /must have 1 to 200 characters/],
    [['organization', 'create', '--name', 'N\u001b[31m'], /control character U\+001B\. Remove/],
    [['organization', 'create', '--name', 'a\u202eb'], /control character U\+202E\. Remove/],
    [['organization', 'create', '--name', 'N\nM'], /must be one line/],
    [['organization', 'create', '--name', 'N', '--colour', 'red'], /unknown option '--colour'/],
    [['organization', 'verify'], /missing required argument 'org_id'/],
    [['organization', 'verify', 'org_1', 'org_2'], /too many arguments/],
    [['session', 'nobody@example.com', '--organization'], /'--organization <org_id>'/],
  ]
  for (const [args, pattern] of cases) {
    const { exitCode, stdout, stderr } = await admin(args)
    assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
    assert.match(stderr, pattern)
  }
})

test('help prints the usage and exits 0', async () => {
  for (const args of [['help'], ['--help'], ['link', '--help']]) {
    const { exitCode, stdout, stderr } = await admin(args)
    assert.deepEqual([exitCode, stderr], [0, ''])
    assert.match(stdout, /link.* <email>/)
  }
})

test('invalid input exits 1, and prints one line', async () => {
  const id = `org_0${'1'.repeat(25)}`
  const cases: [string[], RegExp][] = [
    [['organization', 'create', '--name', 'N', '--currency', 'XXX'], /USD, EUR/],
    [['organization', 'create', '--name', 'N', '--admin-email', 'nobody'], /not an e-mail address/],
    [['organization', 'create', '--name', 'N', '--admin-name', 'M'], /needs --admin-email/],
    [['organization', 'verify', id], /There is no organization/],
    [['organization', 'verify', 'doc_1'], /no organization id/],
    [['organization', 'verify', 'org_nope'], /one is org_ and 26 characters/],
    [['link', 'nobody@example.com'], /There is no user/],
  ]
  for (const [args, pattern] of cases) await expectRefused(args, pattern)
})

test('a command that meets another change, or a server that cannot be written, may be repeated', async (t) => {
  const { id, uuid } = await anOrganization(running)
  const { databaseUrl, database } = running
  const locking = await openTestConnection(databaseUrl)
  t.after(() => locking.close())
  await locking.run(sql`begin`)
  await locking.run(sql`select 1 from organizations where id = ${uuid} for update`)
  await expectRefused(
    ['organization', 'suspend', id],
    /^The database is busy.*give the command again/,
  )
  await locking.run(sql`rollback`)

  const owner = ['--admin-email', 'twice@example.com', '--admin-name', 'Twice']
  const create = () => admin(['organization', 'create', '--name', 'Twice', ...owner])
  const [first, second] = (await Promise.all([create(), create()])).map(({ stderr }) => stderr)
  for (const stderr of [first!, second!]) assert.match(stderr, /^(?:The database is busy.*\n)?$/)

  await alterDatabase(database, 'set default_transaction_read_only = on')
  await expectRefused(['organization', 'suspend', id], /^PostgreSQL is read-only/)
  await alterDatabase(database, 'reset default_transaction_read_only')
})

test('whether a command took effect is for the operator to see when nobody can say', async () => {
  const proxy = await startDatabaseProxy(await loopbackUrl(running.databaseUrl))
  proxy.onCommit = () => 'lose the response'
  const { exitCode, stdout, stderr } = await admin(['organization', 'create', '--name', 'Made'], {
    env: { DATABASE_URL: proxy.url, SERVER_KEY: serverKey },
  })
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /^The connection .*: look whether .* before you give the command again\.\n$/)
  const made = await running.database.rows(sql`select 1 from organizations where name = 'Made'`)
  assert.equal(made.length, 1)
})

test('without DATABASE_URL it finds the running service by its sandbox.json, or prints what to do', async () => {
  const dataDir = temporaryFolder()
  const env = { DATA_DIR: dataDir, SERVER_KEY: serverKey }
  const args = ['organization', 'create', '--name', 'Found']
  const { exitCode, stderr } = await admin(args, { env })
  assert.deepEqual([exitCode, /npm start/.test(stderr)], [1, true], stderr)
  const file = join(dataDir, 'sandbox.json')
  await writeFile(
    file,
    JSON.stringify({ base_url: running.baseUrl, database_url: running.databaseUrl }),
  )
  assert.equal((await admin(args, { env })).exitCode, 0)
  await rm(file)
  await mkdir(file)
  const unreadable = await admin(args, { env })
  assert.deepEqual([unreadable.exitCode, unreadable.stdout], [1, ''], 'no other port is guessed')
  assert.match(unreadable.stderr, /^sandbox\.json cannot be read: EISDIR/)
  await rmdir(file)
  await writeFile(file, '{"base_url":')
  const cutOff = await admin(args, { env })
  assert.match(cutOff.stderr, /^sandbox\.json cannot be read: .*\n$/)
  const unreachable = 'postgresql://postgres@127.0.0.1:1/docex'
  await writeFile(file, JSON.stringify({ base_url: running.baseUrl, database_url: unreachable }))
  const stopped = await admin(args, { env })
  assert.equal(stopped.exitCode, 1)
  assert.match(stopped.stderr, /^PostgreSQL does not answer: npm start/)
  const wrong = await admin(args, { env: { DATABASE_URL: unreachable, SERVER_KEY: serverKey } })
  assert.match(wrong.stderr, /^DATABASE_URL=.* cannot be used: nothing listens there/)
})

test('without sandbox.json it finds the embedded PostgreSQL of DATA_DIR', async () => {
  const { dataDir } = await testServer()
  const { exitCode, stderr } = await admin(['organization', 'list'], {
    env: { DATA_DIR: dataDir, SERVER_KEY: serverKey },
  })
  assert.equal(exitCode, 1)
  assert.match(stderr, /does not have the tables of this version: start the service/)
})
