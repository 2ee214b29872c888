/** How PostgreSQL plans the look-ups of requests: by key, also while a table has few rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/database/new-ids.ts'
import { type Queryable, raw, sql } from '../../src/database/sql.ts'
import { isNewestVersion } from '../../src/store/documents/newest-version.ts'
import { startTestService } from '../support/test-service.ts'

const running = await startTestService({ PROCESS_ROLE: 'api' })
const { database } = running.service.context
await running.database.script('analyze')

/** The tables that the look-up of the newest version of a document would read as a whole. */
const tablesReadWhole = async (db: Queryable): Promise<string[]> => {
  const plan = await db.rows<{ 'QUERY PLAN': string }>(sql`
    explain (costs off) select ${raw(isNewestVersion)} from documents d where d.id = ${newId()}`)
  const lines = plan.map((row) => row['QUERY PLAN'])
  return lines.flatMap((line) => /Seq Scan on (\S+)/.exec(line)?.[1] ?? [])
}

test('what a request reads by key is found by an index, also while tables have few rows', async () => {
  const requester = { organization: 'any' }
  const beforeWrite = database.perform('writes', requester, ({ read }) => tablesReadWhole(read))
  const ofList = database.perform('lists', requester, ({ read }) => tablesReadWhole(read))
  assert.deepEqual(await tablesReadWhole(database.read), [])
  assert.deepEqual(await tablesReadWhole(database.credentials), [])
  assert.deepEqual(await beforeWrite, [])
  assert.deepEqual(await ofList, [])
})
