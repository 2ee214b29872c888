/** The benchmark seeds the same rows that the service would write. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBenchConnection } from '../../bench/database.ts'
import { serverKey } from '../../bench/server-key.ts'
import { sampleBody, seedScale } from '../../bench/seed-scale.ts'
import { idOf, seed, seedPairs } from '../../bench/seed.ts'
import { limits } from '../../src/contract/limits.ts'
import { encodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { indexSearch } from '../../src/tasks/index-search.ts'
import { runAndSeal } from '../support/database/run-and-seal.ts'
import { callApi } from '../support/api-client.ts'
import { type TestService, startTestService } from '../support/test-service.ts'
import { testDatabase } from '../support/database/postgres.ts'
import { openTestConnection } from '../support/database/test-connection.ts'

/** Creates a draft of the first pair, and returns its stored content. */
const storedDraft = async (
  running: TestService,
  key: string,
): Promise<{ content: string; total: bigint }> => {
  const connection_id = encodeId('con', idOf('connection1'))
  const body = { connection_id, document_type: 'invoice', ...sampleBody }
  const reply = await callApi(running, 'POST', '/v1/documents', { key, body })
  assert.equal(reply.status, 201, reply.text)
  const [row] = await running.database.rows<{ content: string; total: bigint }>(
    sql`select content, total from documents`,
  )
  return row!
}

const draftFromService = async () => {
  const running = await startTestService({ PROCESS_ROLE: 'api', SERVER_KEY: serverKey })
  const db = await openTestConnection(running.databaseUrl, 'docex test', {
    seals: running.database.seals,
  })
  const draft = await storedDraft(running, (await seedPairs(db)).keys[0]!)
  await db.close()
  return draft
}

const sampleDraft = await draftFromService()

interface SearchEntry {
  organization_id: string
  position: bigint
  words: string
}

const entriesOf = (running: TestService): Promise<SearchEntry[]> =>
  running.database.rows<SearchEntry>(sql`
    select organization_id, position, words::text as words from search_entries order by 1, 2`)

test('the seeded search entries equal those that the task makes from the seeded documents', async () => {
  const running = await startTestService({ PROCESS_ROLE: 'api', SERVER_KEY: serverKey })
  const db = await openTestConnection(running.databaseUrl, 'docex test', {
    seals: running.database.seals,
  })
  const { keys } = await seedScale(db, { count: 240, ...sampleDraft })
  const seeded = await entriesOf(running)
  await db.run(sql`update search_progress set indexed = 0`)
  while (await indexSearch.run(running.service.context));
  assert.deepEqual(await entriesOf(running), seeded)
  const reply = await callApi(running, 'GET', '/v1/documents?query=SO-2026-24', { key: keys[0]! })
  assert.deepEqual(
    [reply.status, reply.body.data.map(({ number }: { number: string }) => number)],
    [200, ['OLD-240', 'OLD-24']],
    reply.text,
  )
  await db.close()
})

test('seeded documents are read, listed and indexed like any other', async () => {
  const running = await startTestService({ PROCESS_ROLE: 'api', SERVER_KEY: serverKey })
  const db = await openTestConnection(running.databaseUrl, 'docex test', {
    seals: running.database.seals,
  })
  const { keys } = await seed(db, sampleDraft.content)
  await runAndSeal(
    db,
    'organization_counters',
    sql`
    update organization_counters set feed = ${BigInt(limits.searchIndexPositionsPerRound)}`,
  )
  while (await indexSearch.run(running.service.context));
  assert((await entriesOf(running)).length > 0)
  for (const path of ['/v1/documents', '/v1/documents?query=consulting']) {
    const { status, body } = await callApi(running, 'GET', path, { key: keys[0]! })
    assert.deepEqual([status, body.data.length], [200, limits.pageDefault])
  }
  const path = `/v1/documents/${encodeId('doc', idOf('document64'))}`
  const { status, text } = await callApi(running, 'GET', path, { key: keys[0]! })
  assert.equal(status, 200, text)
  await db.close()
})

test('a statement of the benchmark may take longer than those of the service', async (t) => {
  const { url } = await testDatabase()
  const db = await openBenchConnection(url)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const slow = db.rows<{ limit: string }>(sql`
    select current_setting('statement_timeout') as limit from pg_sleep(0.1)`)
  t.mock.timers.tick(limits.queryTimeoutMs)
  t.mock.timers.reset()
  assert.deepEqual(await slow, [{ limit: '0' }])
  await db.close()
})
