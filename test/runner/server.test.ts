/** The PostgreSQL of a process of the runner. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { sql } from '../../src/database/sql.ts'
import { startTestServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

test('it is left alone while the machine is too busy for the probes of a service', async () => {
  const { addresses, stop } = await startTestServer()
  after(stop)
  const open = await openTestConnection(addresses.url)
  // Longer than all probes together that a service makes of it before it starts it again.
  await open.script("alter system set pre_auth_delay = '10s'")
  await open.script('select pg_reload_conf()')
  const delay = async () =>
    (await open.row<{ delay: string }>(sql`select current_setting('pre_auth_delay') as delay`))!
  await until('it has read the setting', async () => (await delay()).delay === '10s')
  const late = new Client({ connectionString: addresses.url, ssl: false })
  await late.connect()
  await late.end()
  assert.equal((await delay()).delay, '10s')
  await open.close()
})
