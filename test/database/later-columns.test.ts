/** What happens to a process on whose database a newer one migrates a table. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ReconnectingConnection } from '../../src/database/pool.ts'
import { Connection, DatabaseUnavailable, sql } from '../../src/database/sql.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

const { url } = await testDatabase()
const owner = await openTestConnection(url)
const reader = new ReconnectingConnection(() => Connection.open(url, 'docex test'))
after(async () => {
  await owner.close()
  await reader.close()
})

test('a statement whose table has got a column is an outage, and the next connection runs it', async () => {
  const all = sql`select * from head_note`
  await (await reader.get()).rows(all)
  await owner.script('alter table head_note add column added_later text')
  await assert.rejects((await reader.get()).rows(all), DatabaseUnavailable)
  assert.deepEqual(await (await reader.get()).rows(all), [])
})
