/** A server, database or user that allows fewer connections than a process needs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { Connection, sql } from '../../src/database/sql.ts'
import { connectionShortage } from '../../src/startup/server-warnings.ts'
import { callApi } from '../support/api-client.ts'
import { alterDatabase } from '../support/database/database-settings.ts'
import { testDatabase, testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { aPair } from '../support/fixtures.ts'
import { startTestService } from '../support/test-service.ts'
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
