/** Migrations are applied once, and their files never change afterwards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { sql } from '../../src/database/sql.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

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

test('a schema that is newer than the build stops the start', async () => {
  await db.run(sql`
    insert into migrations (number, name, checksum) values (9999, '9999-future.sql', '')`)
  await assert.rejects(migrate(url), /9999-future\.sql, which this build does not know/)
  await db.run(sql`delete from migrations where number = 9999`)
  await db.close()
})
