/** A start that fails stops what it has started, the way a stop does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { serviceRoleUrl } from '../../src/database/service-role.ts'
import { sql } from '../../src/database/sql.ts'
import { startService } from '../../src/service.ts'
import { claimServerKey } from '../../src/startup/database-server-key.ts'
import { openKeyring } from '../../src/startup/keyring.ts'
import { openLogger } from '../../src/telemetry/logger.ts'
import { dataDirOf, keysDirOf, testDatabase, testServer } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { readyAddress, runProgram, startupErrorOf } from '../support/processes/program.ts'
import { serverKey } from '../support/test-service.ts'
import { until } from '../support/until.ts'

// The server must outlive the test that uses it.
await testServer()
const { url } = await testDatabase()
const databaseUrl = serviceRoleUrl(url)
const config = readConfig({
  PORT: '0',
  DATABASE_URL: url,
  SERVER_KEY: serverKey,
  DATA_DIR: dataDirOf(url),
  PROVENANCE_KEYS_DIR: keysDirOf(url),
})
const keyring = await openKeyring(config)
await claimServerKey(databaseUrl, keyring)

test('its port, its background work and its connections are gone', async () => {
  let context: Context | undefined
  let port = 0
  const start = startService({
    config,
    databaseUrl,
    keyring,
    log: openLogger(() => {}),
    beforeReady: async (started, listening) => {
      context = started
      port = listening
      throw new Error('it cannot be made ready')
    },
  })
  await assert.rejects(start, /it cannot be made ready/)
  assert.equal(context!.lifecycle(), 'draining')
  await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`))
  const db = await openTestConnection(url, 'a test')
  await until('its connections are closed', async () => {
    const left = await db.rows(
      sql`select 1 from pg_stat_activity
        where datname = current_database() and application_name like 'docex%'`,
    )
    return left.length === 0
  })
  await db.close()
})

test('a start that a rekey overtakes says that it lacks the new server key, not to look for an outage', async () => {
  const { url: other } = await testDatabase()
  const settings = {
    DATABASE_URL: other,
    SERVER_KEY: serverKey,
    DATA_DIR: dataDirOf(other),
    PROVENANCE_KEYS_DIR: keysDirOf(other),
  }
  const first = runProgram({ ...settings, PRACTICE_ORGANIZATIONS: '0' })
  await readyAddress(first)
  await first.stop()
  const db = await openTestConnection(other, 'a test')
  // Everything is written under another key from the first organization on.
  await db.script(`
    create function rekey() returns trigger language plpgsql as $$
    begin
      insert into server_keys (generation, salt, mac, seals_since)
      values (2, '\\x00', decode(repeat('00', 32), 'hex'), clock_timestamp())
      on conflict do nothing;
      return null;
    end $$;
    create trigger organizations_rekey after insert on organizations execute function rekey()`)
  await db.close()
  const output = await startupErrorOf(settings, runProgram)
  assert.match(output, /could not start: .*generation 2 of the server key.*commands\.md/)
  assert.match(output, /"server_key_missing"/)
  assert.doesNotMatch(output, /database_unavailable/)
})
