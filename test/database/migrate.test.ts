/** Migrations are applied once, and their files never change afterwards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { sql } from '../../src/database/sql.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'
import { until } from '../support/until.ts'

const { url } = await testDatabase()
const db = await openTestConnection(url)

test('a new database must have the encoding UTF8, since texts have characters of all scripts', async () => {
  await db.run(sql`
    create database latin encoding 'LATIN1' locale_provider libc locale 'C' template template0`)
  await assert.rejects(
    migrate(url.replace(/\/t_\w+/, '/latin')),
    /must have the encoding UTF8, and has LATIN1: create it anew/,
  )
})

test('a second run applies nothing', async () => {
  assert.deepEqual(await migrate(url), [])
})

test('a file that changed after it was applied stops the start', async () => {
  const tampered = sql`update migrations set checksum = reverse(checksum) where number = 3`
  await db.run(tampered)
  await assert.rejects(migrate(url), /0003-keys\.sql was applied with other content/)
  await db.run(tampered)
  assert.deepEqual(await migrate(url), [])
})

test('a database of an earlier development version stops the start', async () => {
  await db.run(sql`alter table migrations rename column checksum to was_checksum`)
  await assert.rejects(migrate(url), /earlier development version created the database: create a/)
  await db.run(sql`alter table migrations rename column was_checksum to checksum`)
  assert.deepEqual(await migrate(url), [])
})

test('a migration waits for the locks of an older process, and begins again when one takes long', async () => {
  await db.script(`
    delete from migrations where number = 49;
    drop index ledger_tx_by_reversed;
    alter table ledger_tx add constraint ledger_tx_reverses_key unique (reverses);
    create index ledger_entry_by_account on ledger_entry (account_id)`)
  const older = await openTestConnection(url)
  await older.script('begin; lock table events in row exclusive mode')
  const migrated = migrate(url)
  const locked = sql`
    select from pg_stat_activity where datname = current_database()
      and application_name = 'docex migrate' and wait_event_type = 'Lock'`
  await until('the migration waits', async () => (await db.rows(locked)).length > 0)
  await Promise.race([
    migrated,
    until('it gave up', async () => (await db.rows(locked)).length === 0),
  ])
  await older.script('commit')
  assert.deepEqual(await migrated, ['0049-narrower-indexes.sql'])
  await older.close()
})

test('a schema that is newer than the build stops the start', async () => {
  await db.run(sql`
    insert into migrations (number, name, checksum) values (9999, '9999-future.sql', '')`)
  await assert.rejects(migrate(url), /9999-future\.sql, which this build does not know/)
  await db.run(sql`delete from migrations where number = 9999`)
  await db.close()
})
