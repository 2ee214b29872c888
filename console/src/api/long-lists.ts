/**
 * Lists of documents of which several pages were read. The service is asked for those that have
 * changed by their ids, with the filters of the list: they take their places, and every other row
 * stays. To read all pages again takes a call for each.
 */
import type { Query as CachedRead, QueryClient } from '@tanstack/react-query'
import { type Query, call } from './call.ts'
import { idsMost } from './changes.ts'
import type { DocumentRecord, Page } from './types.ts'

interface Pages {
  pages: Page<DocumentRecord>[]
  pageParams: unknown[]
}

const waitMs = 100

export const updateLists = async (
  cache: QueryClient,
  lists: readonly CachedRead[],
  changed: readonly string[],
): Promise<void> => {
  await Promise.all(
    lists.map(async (list) => {
      const { queryKey } = list
      const found = await rowsOf(queryKey[2] as Query, changed).catch(() => undefined)
      // A page that is being read would come back without what has changed.
      while (list.state.fetchStatus === 'fetching')
        await new Promise((resolve) => setTimeout(resolve, waitMs))
      if (found === undefined) await cache.invalidateQueries({ queryKey, exact: true })
      else cache.setQueryData<Pages>(queryKey, (known) => known && withRows(known, changed, found))
    }),
  )
}

/** Those that the list has now; undefined where its filters do not tell within one page. */
const rowsOf = async (
  query: Query,
  changed: readonly string[],
): Promise<DocumentRecord[] | undefined> => {
  const rows: DocumentRecord[] = []
  for (let at = 0; at < changed.length; at += idsMost) {
    const id = changed.slice(at, at + idsMost).join()
    const page = await call<Page<DocumentRecord>>('GET', '/v1/documents', {
      query: { ...query, limit: idsMost, id },
    })
    if (page.next_cursor !== null) return undefined
    rows.push(...page.data)
  }
  return rows
}

const withRows = (
  { pages, pageParams }: Pages,
  changed: readonly string[],
  found: readonly DocumentRecord[],
): Pages => {
  const left = new Set(changed)
  const rows = new Map(found.map((row) => [row.id, row]))
  const next = pages.map((page) => ({
    ...page,
    data: page.data.flatMap((row) => {
      if (!left.has(row.id)) return [row]
      const now = rows.get(row.id)
      rows.delete(row.id)
      return now === undefined ? [] : [now]
    }),
  }))
  for (const row of rows.values()) insert(next, row)
  return { pages: next, pageParams }
}

/** Since when the organization sees it, which is the order of the list. */
const seenSince = ({ direction, created_at, issued_at }: DocumentRecord): string =>
  direction === 'issued' ? created_at : (issued_at ?? created_at)

/** One that is older than all that were read is on a page that was not. */
const insert = (pages: readonly Page<DocumentRecord>[], row: DocumentRecord): void => {
  const isOlder = (other: DocumentRecord) => seenSince(other) < seenSince(row)
  const page = pages.find(({ data }) => data.some(isOlder))
  if (page !== undefined) page.data.splice(page.data.findIndex(isOlder), 0, row)
  else if (pages.at(-1)?.next_cursor === null) pages.at(-1)!.data.push(row)
}
