/** What cannot be read of one organization's documents keeps no other from being indexed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../src/contract/limits.ts'
import { decodeId } from '../../src/core/ids.ts'
import { sql } from '../../src/database/sql.ts'
import { indexSearch } from '../../src/tasks/index-search.ts'
import { callApi } from '../support/api-client.ts'
import { type Pair, aDraft, aPair, anInvoice } from '../support/fixtures.ts'
import { assertRefused } from '../support/http/error-responses.ts'
import { whileTampered } from '../support/provenance/row-tampering.ts'
import { startTestService } from '../support/test-service.ts'

// Nobody else indexes.
const running = await startTestService({ PROCESS_ROLE: 'api', SANDBOX_QUOTAS: 'off' })
const { database } = running
const { context } = running.service

const createDrafts = (pair: Pair, count: number) =>
  Promise.all(Array.from({ length: count }, () => aDraft(running, pair)))

/** Runs the task as often as it asks for it, and at least twice. */
const index = async (): Promise<void> => {
  await indexSearch.run(context)
  while (await indexSearch.run(context));
}

const unindexedOf = async ({ issuer }: Pair): Promise<bigint> => {
  const row = await database.row<{ left: bigint }>(sql`
    select h.feed - coalesce(s.indexed, 0) as left from organization_counters h
    left join search_progress s on s.organization_id = h.organization_id
    where h.organization_id = ${issuer.uuid}`)
  return row!.left
}

const enough = limits.searchIndexMinChanges
const other = await aPair(running)
const search = (pair: Pair) =>
  callApi(running, 'GET', '/v1/documents?query=oak', { key: pair.issuer.key })

test('a document that cannot be read raises the alarm, and others are indexed and searched', async () => {
  for (const content of ['{', 'null', '']) {
    const damaged = await aPair(running)
    await createDrafts(damaged, enough * 2)
    const uuid = decodeId('doc', (await anInvoice(running, damaged)).id)!
    await createDrafts(other, enough)
    const change = `update documents set content = '${content}' where id = '${uuid}'`
    await whileTampered(database, 'documents', change, async () => {
      await index()
      assert.equal(await unindexedOf(other), 0n)
      const row = await database.row<{ held: boolean }>(
        sql`select integrity_hold as held from documents where id = ${uuid}`,
      )
      assert.equal(row!.held, true)
      assertRefused(await search(damaged), 'integrity_failure')
      assert.equal((await search(other)).status, 200)
    })
  }
})

test('whatever the progress of one organization says, others are indexed, and all can search', async () => {
  const damaged = await aPair(running)
  await createDrafts(damaged, enough)
  for (const indexed of ['-9223372036854775808', '-1', '9223372036854775807']) {
    await createDrafts(other, enough)
    const change = `insert into search_progress (organization_id, indexed)
      values ('${damaged.issuer.uuid}', ${indexed})
      on conflict (organization_id) do update set indexed = ${indexed}`
    await whileTampered(database, 'search_progress', change, async () => {
      await index()
      assert.equal(await unindexedOf(other), 0n)
      for (const pair of [damaged, other]) assert.equal((await search(pair)).status, 200)
    })
  }
})
