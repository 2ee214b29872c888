/** Searching, and the index brought up to date as the task would. */
import assert from 'node:assert/strict'
import { sql } from '../../../src/database/sql.ts'
import { indexSearch } from '../../../src/tasks/index-search.ts'
import { type TestOrganization, type Reply, type TestService, callApi } from '../service.ts'

type Searcher = Pick<TestOrganization, 'key'>

export const searchClient = (running: TestService) => {
  const search = (query: string, { key }: Searcher, more = ''): Promise<Reply> =>
    callApi(running, 'GET', `/v1/documents?query=${encodeURIComponent(query)}${more}`, { key })

  /** Ids of all pages. */
  const allIds = async (query: string, who: Searcher, more = ''): Promise<string[]> => {
    const ids: string[] = []
    let cursor = ''
    do {
      const { status, text, body } = await search(query, who, more + cursor)
      assert.equal(status, 200, text)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    return ids
  }

  /** As the task would, but whatever little there is to index. */
  const index = async ({ uuid }: TestOrganization): Promise<void> => {
    const { database } = running
    await database.run(sql`
    update organization_counters set feed = feed + 20 where organization_id = ${uuid}`)
    while (await indexSearch.run(running.service.context));
    await database.run(sql`
    update organization_counters set feed = feed - 20 where organization_id = ${uuid}`)
    await database.run(sql`
    update search_progress s set indexed = h.feed from organization_counters h
    where h.organization_id = s.organization_id and s.organization_id = ${uuid}`)
    const [entries] = await database.rows<{ count: bigint }>(sql`
    select count(*) from search_entries where organization_id = ${uuid}`)
    assert(entries!.count > 0n)
  }
  return { search, found: allIds, index }
}
