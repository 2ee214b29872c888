/** What an operator's PostgreSQL sets for its databases, and every session inherits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../../src/contract/limits.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newId } from '../../src/database/new-ids.ts'
import { schemaDifferences } from '../../src/database/schema-differences.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { isReadOnly } from '../../src/engine/database-failures.ts'
import { databaseUrlError } from '../../src/startup/database-url-error.ts'
import { settingsThatLoseCommits } from '../../src/startup/server-warnings.ts'
import { leasedVersions } from '../../src/store/webhooks/delivery-queue.ts'
import { callApi } from '../support/api-client.ts'
import { alterDatabase } from '../support/database/database-settings.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aDraft, aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

/** A database whose new sessions have the setting. */
const databaseWith = async (setting: string): Promise<string> => {
  const { url } = await testDatabase()
  const owner = await openTestConnection(url)
  await alterDatabase(owner, setting)
  await owner.close()
  return url
}

const written = await startTestService(
  {},
  { url: await databaseWith("set bytea_output = 'escape'") },
)

test('the seals and histories of rows hold, however the database writes bytes', async () => {
  const pair = await aPair(written)
  const { id } = await aDraft(written, pair)
  const history = await callApi(written, 'GET', `/v1/documents/${id}/history`, {
    key: pair.issuer.key,
  })
  assert.deepEqual([history.status, history.body.verified], [200, true], history.text)
})

/** A URL with these parameters in addition. */
const withParameters = (url: string, parameters: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${parameters}`

test('neither the database nor its URL changes what a session of the service relies on', async () => {
  const url = await databaseWith("set default_transaction_isolation = 'serializable'")
  const owner = await openTestConnection(url)
  await alterDatabase(owner, 'set standard_conforming_strings = off')
  await alterDatabase(owner, 'set quote_all_identifiers = on')
  await alterDatabase(owner, 'set gin_fuzzy_search_limit = 1')
  await owner.close()
  const given =
    '-c timezone=Asia/Kolkata -c search_path=other -c client_min_messages=error -c work_mem=5MB'
  const connection = await Connection.open(
    withParameters(
      url,
      `options=${encodeURIComponent(given)}&application_name=other&statement_timeout=1&client_encoding=LATIN1`,
    ),
    'docex of the test',
  )
  const settings = await connection.row(sql`
    select current_setting('TimeZone') as zone, current_setting('search_path') as path,
      current_setting('transaction_isolation') as isolation,
      current_setting('statement_timeout') as timeout,
      current_setting('client_encoding') as encoding,
      current_setting('client_min_messages') as messages,
      current_setting('standard_conforming_strings') as backslashes,
      current_setting('gin_fuzzy_search_limit') as found,
      current_setting('application_name') as name, current_setting('work_mem') as memory`)
  const differences = await schemaDifferences(connection)
  await connection.close()
  assert.deepEqual(differences, { missing: [], changed: [] })
  assert.deepEqual(settings, {
    zone: 'UTC',
    path: 'public,pg_temp',
    isolation: 'read committed',
    timeout: '5s',
    encoding: 'UTF8',
    messages: 'warning',
    // The function that drops expired partitions has a backslash in a pattern.
    backslashes: 'on',
    // Any other value leaves out what a search finds.
    found: '0',
    name: 'docex of the test',
    // What the service does not decide, the URL may.
    memory: '5MB',
  })
})

test('neither a session that waits for work nor a long migration is ended by the server', async () => {
  const url = await databaseWith("set idle_session_timeout = '50ms'")
  const owner = await openTestConnection(url)
  await alterDatabase(owner, "set transaction_timeout = '300ms'")
  const connection = await Connection.open(url, 'docex of the test')
  await owner.run(sql`select pg_advisory_lock(4216771)`)
  const unlocked = pause(1_000).then(() => owner.run(sql`select pg_advisory_unlock_all()`))
  assert.deepEqual(await migrate(url), [])
  await unlocked
  assert.deepEqual(await connection.row(sql`select 1 as answer`), { answer: 1 })
  await connection.close()
  await owner.close()
})

test('a start on a server that is read-only asks for the primary', async () => {
  const url = await databaseWith('set default_transaction_read_only = on')
  const error = await migrate(url).catch((refused: unknown) => databaseUrlError(refused, url))
  assert.match(String(error), /^SettingError: DATABASE_URL=.* is read-only, .*: name the primary/)
})

test('a start whose sessions run no triggers is refused, and names the setting', async () => {
  const url = await databaseWith('set session_replication_role = replica')
  await assert.rejects(
    migrate(url),
    /PostgreSQL runs no triggers .*session_replication_role = replica.*: reset it/,
  )
})

test('a start for a role that a replication program has marked as local is accepted', async () => {
  const url = await databaseWith('set session_replication_role = local')
  assert.deepEqual(await migrate(url), [])
  const connection = await openTestConnection(url)
  await connection.script(`create temporary table documents_of_test (id integer primary key);
    create temporary table lines_of_test (id integer references documents_of_test)`)
  await assert.rejects(connection.run(sql`insert into lines_of_test values (1)`), { code: '23503' })
  await connection.close()
})

const commitSettings: [string, boolean][] = [
  ['on', false],
  ['remote_apply', false],
  // No server of the tests has a synchronous standby.
  ['local', false],
  ['off', true],
]

for (const [value, isNamed] of commitSettings) {
  test(`with synchronous_commit = ${value}, a start ${isNamed ? 'says' : 'does not say'} that commits may be lost`, async () => {
    const url = await databaseWith(`set synchronous_commit = ${value}`)
    const connection = await openTestConnection(url)
    const settings = await settingsThatLoseCommits(connection)
    await connection.close()
    assert.equal(settings.includes(`synchronous_commit = ${value}`), isNamed)
    // The servers of the tests are not safe from a power cut.
    assert.deepEqual(settings.slice(0, 2), ['fsync = off', 'full_page_writes = off'])
  })
}

const failedOver = await startTestService()

/** Whether /readyz has one answer on each of its connections, which take turns. */
const answersInTurn = async (status: number): Promise<boolean> => {
  for (let turn = 0; turn < 2 * limits.readConnections; turn += 1) {
    if ((await callApi(failedOver, 'GET', '/readyz')).status !== status) return false
  }
  return true
}

test('contract 3: while the database is read-only, writes are 503 and the service is not ready', async () => {
  const pair = await aPair(failedOver)
  const { database } = failedOver
  const write = () =>
    callApi(failedOver, 'PATCH', '/v1/organization', {
      key: pair.issuer.session,
      body: { profile: { legal_name: 'Oak' } },
    })
  assert.equal((await write()).status, 200)

  await alterDatabase(database, 'set default_transaction_read_only = on')
  await database.run(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`)
  await until('the service is not ready', () => answersInTurn(503))
  const { body } = await callApi(failedOver, 'GET', '/readyz')
  assert.equal(body.reason, 'database_read_only')
  const refused = await write()
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'service_unavailable'])
  assert.equal(refused.headers.get('retry-after'), '1')

  await alterDatabase(database, 'reset default_transaction_read_only')
  await until('writes have their effect again', async () => (await write()).status === 200)
  await until('the service is ready', () => answersInTurn(200))
})

test('0258 settings of webhook endpoints are not compared with those of a standby', async () => {
  const standby = await openTestConnection(written.databaseUrl)
  await standby.run(sql`set default_transaction_read_only = on`)
  await assert.rejects(leasedVersions(standby, newId(), []), isReadOnly)
})
