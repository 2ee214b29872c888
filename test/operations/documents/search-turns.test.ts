/** Searching and indexing long documents lets others have their turns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { callApi } from '../../support/api-client.ts'
import { aDraft, aPair, exampleLine } from '../../support/fixtures.ts'
import { startTestService } from '../../support/test-service.ts'

// Nothing is indexed.
const running = await startTestService({ PROCESS_ROLE: 'api' })

/** The part of the time that `work` takes for which others wait in one piece. */
const longestWait = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now()
  let longest = 0
  let before = begin
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - before)
    before = now
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  await work()
  clearImmediate(next)
  return longest / (performance.now() - begin)
}

const pair = await aPair(running)
const wordsOf = (line: number) =>
  Array.from({ length: 60 }, (_, i) => `${(line * 7_919 + i * 104_729).toString(36)}-a9`)
for (let document = 0; document < limits.searchIndexMinChanges; document += 1) {
  const line_items = Array.from({ length: 40 }, (_, i) => ({
    ...exampleLine,
    description: wordsOf(document * 40 + i).join(' '),
  }))
  await aDraft(running, pair, { line_items })
}

/** On a busy machine, anything may take long once. */
const assertTurns = async (work: () => Promise<unknown>): Promise<void> => {
  const waits: number[] = []
  for (let i = 0; i < 5; i += 1) waits.push(await longestWait(work))
  assert(Math.min(...waits) < 0.2, `others waited for ${waits.join(', ')} of it`)
}

test('8: others have their turns while long documents are searched that no index has yet', () =>
  assertTurns(async () => {
    const path = '/v1/documents?query=nothing'
    const { status, body } = await callApi(running, 'GET', path, { key: pair.issuer.key })
    assert.deepEqual([status, body.data], [200, []])
  }))

test('others have their turns while long documents are indexed', () =>
  assertTurns(async () => {
    await running.database.script('delete from search_entries; delete from search_progress')
    await indexSearch.run(running.service.context)
    const { indexed } = (await running.database.row<{ indexed: boolean }>(
      sql`select count(*) > 10 as indexed from search_entries`,
    ))!
    assert(indexed)
  }))
