/** Searches documents, and updates the search index as the task does. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { type Reply, callApi } from '../api-client.ts'
import { runAndSeal } from '../database/run-and-seal.ts'
import { allPages } from '../http/all-pages.ts'
import type { TestOrganization } from '../fixtures.ts'
import type { TestService } from '../test-service.ts'

const pathOf = (query: string, more: string): string =>
  `/v1/documents?query=${encodeURIComponent(query)}${more}`

type Searcher = Pick<TestOrganization, 'key'>

export const searchClient = (running: TestService) => {
  const search = (query: string, { key }: Searcher, more = ''): Promise<Reply> =>
    callApi(running, 'GET', pathOf(query, more), { key })

  /** The ids on all pages. */
  const searchIds = async (query: string, { key }: Searcher, more = ''): Promise<string[]> =>
    (await allPages(running, key, pathOf(query, more))).map(({ id }) => id)

  /** Indexes everything now, even when the task would wait for more entries. */
  const index = async ({ uuid }: TestOrganization): Promise<void> => {
    const { database } = running
    await runAndSeal(
      database,
      'organization_counters',
      sql`
    update organization_counters set feed = feed + 20 where organization_id = ${uuid}`,
    )
    while (await indexSearch.run(running.service.context));
    await runAndSeal(
      database,
      'organization_counters',
      sql`
    update organization_counters set feed = feed - 20 where organization_id = ${uuid}`,
    )
    await database.run(sql`
    update search_progress s set indexed = h.feed, renewed = h.feed from organization_counters h
    where h.organization_id = s.organization_id and s.organization_id = ${uuid}`)
    const [entries] = await database.rows<{ count: bigint }>(sql`
    select count(*) from search_entries where organization_id = ${uuid}`)
    assert(entries!.count > 0n)
  }
  return { search, searchIds, index }
}
