/** Walks a list page by page. */
import assert from 'node:assert/strict'
import { callApi } from '../api-client.ts'
import type { TestService } from '../test-service.ts'

interface Page {
  // oxlint-disable-next-line typescript/no-explicit-any -- rows of every list
  data: any[]
  next_cursor: string | null
}

type ListCall = [on: Pick<TestService, 'baseUrl'>, key: string, path: string]

/** Yields each page's body, following the cursor of the page before. */
export async function* eachPage(...[on, key, path]: ListCall): AsyncGenerator<Page> {
  for (let cursor = ''; ;) {
    const { status, text, body } = await callApi(on, 'GET', path + cursor, { key })
    assert.equal(status, 200, text)
    assert.equal(body.has_more, body.next_cursor !== null)
    yield body
    if (body.next_cursor === null) return
    cursor = `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(body.next_cursor)}`
  }
}

/** Returns the rows of all pages. */
export const allPages = async (...call: ListCall): Promise<Page['data']> => {
  const rows = []
  for await (const { data } of eachPage(...call)) rows.push(...data)
  return rows
}
