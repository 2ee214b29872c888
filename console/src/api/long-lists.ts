/**
 * Lists of documents of which several pages were read. The service is asked for those that have
 * changed by their ids, with the filters of the list: they take their places, and every other row
 * stays. To read all pages again takes a call for each. Where a row comes in, only the service
 * knows: many have the same time, and the clock of another sandbox may be ahead.
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

/** So many rows come in by themselves: with more, the list is read again. */
const placedMost = idsMost / 2

export const updateLists = async (
  cache: QueryClient,
  lists: readonly CachedRead[],
  changed: readonly string[],
): Promise<void> => {
  await Promise.all(lists.map((list) => updateList(cache, list, changed)))
}

/** What the updates of a list that await an answer are about, in the order of their beginning. */
const underWay = new WeakMap<CachedRead, Set<string>[]>()

const updateList = async (
  cache: QueryClient,
  list: CachedRead,
  changed: readonly string[],
): Promise<void> => {
  const { queryKey } = list
  const own = new Set(changed)
  const updates = underWay.get(list) ?? []
  underWay.set(list, [...updates, own])
  const update = await updateOf(queryKey[2] as Query, changed, () =>
    rowsIn(cache.getQueryData<Pages>(queryKey)),
  ).catch(() => undefined)
  // A page that is being read would come back without what has changed.
  while (list.state.fetchStatus === 'fetching')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  const known = cache.getQueryData<Pages>(queryKey)
  const next = update && known && withRows(known, own, update)
  takeBack(list, own, changed)
  if (next === undefined) await cache.invalidateQueries({ queryKey, exact: true })
  else cache.setQueryData<Pages>(queryKey, next)
}

/** An answer to an earlier question, which comes later, tells nothing new of these. */
const takeBack = (list: CachedRead, own: Set<string>, changed: readonly string[]): void => {
  const updates = underWay.get(list) ?? []
  for (const earlier of updates.slice(0, updates.indexOf(own)))
    for (const id of changed) earlier.delete(id)
  underWay.set(
    list,
    updates.filter((update) => update !== own),
  )
}

const rowsIn = (known: Pages | undefined): string[] =>
  known?.pages.flatMap(({ data }) => data.map(({ id }) => id)) ?? []

/** A row that comes in, and the one that it stands before; null at the end. */
type Place = readonly [row: string, before: string | null]

interface Update {
  found: DocumentRecord[]
  places: Place[]
}

/** What the list has of those that have changed; undefined where it is read again instead. */
const updateOf = async (
  query: Query,
  changed: readonly string[],
  rowsNow: () => string[],
): Promise<Update | undefined> => {
  const found = await rowsOf(query, changed)
  if (found === undefined) return undefined
  const rows = rowsNow()
  const known = new Set(rows)
  const remaining = new Set(found.map(({ id }) => id))
  const comingIn = [...remaining].filter((id) => !known.has(id))
  if (comingIn.length > placedMost) return undefined
  const left = new Set(changed.filter((id) => !remaining.has(id)))
  const staying = rows.filter((id) => !left.has(id))
  return { found, places: await placesOf(staying, comingIn) }
}

/** Those that the list has now; undefined where its filters do not tell within one page. */
const rowsOf = async (
  query: Query,
  changed: readonly string[],
): Promise<DocumentRecord[] | undefined> => {
  const rows: DocumentRecord[] = []
  for (let at = 0; at < changed.length; at += idsMost) {
    const ids = changed.slice(at, at + idsMost)
    const page = await documentsOf(query, ids)
    if (page.next_cursor !== null) return undefined
    rows.push(...page.data)
  }
  return rows
}

const documentsOf = (query: Query, ids: readonly string[]): Promise<Page<DocumentRecord>> =>
  call('GET', '/v1/documents', { query: { ...query, limit: idsMost, id: ids.join() } })

/**
 * The service answers documents in the order of its list: asked for these among some of the rows,
 * it tells between which of those they stand, and then for each gap among the rows in it.
 */
const placesOf = async (rows: readonly string[], comingIn: readonly string[]): Promise<Place[]> => {
  if (rows.length === 0 || comingIn.length === 0) return comingIn.map((row) => [row, null])
  const step = Math.ceil(rows.length / (idsMost - comingIn.length))
  const asked = new Set(rows.filter((_, at) => at % step === 0))
  const { data, next_cursor } = await documentsOf({ fields: 'id' }, [...comingIn, ...asked])
  if (next_cursor !== null) throw new Error('The order of these rows takes more than a page.')
  const places: Place[] = []
  let inGap: string[] = []
  let begin = 0
  for (const id of [...data.map((row) => row.id), null]) {
    if (id !== null && !asked.has(id)) {
      inGap.push(id)
      continue
    }
    const end = id === null ? rows.length : rows.indexOf(id)
    const gap = rows.slice(begin, end).filter((row) => !asked.has(row))
    const inner = await placesOf(gap, inGap)
    places.push(...inner.map(([row, before]): Place => [row, before ?? id]))
    inGap = []
    begin = end + 1
  }
  return places
}

/** Undefined: the list has changed since the places were asked for. */
const withRows = (
  { pages, pageParams }: Pages,
  changed: ReadonlySet<string>,
  { found, places }: Update,
): Pages | undefined => {
  const rows = new Map(found.flatMap((row) => (changed.has(row.id) ? [[row.id, row]] : [])))
  const next = pages.map((page) => ({
    ...page,
    data: page.data.flatMap((row) => {
      if (!changed.has(row.id)) return [row]
      const now = rows.get(row.id)
      rows.delete(row.id)
      return now === undefined ? [] : [now]
    }),
  }))
  for (const [id, before] of places) {
    const row = rows.get(id)
    if (row !== undefined && !insert(next, row, before)) return undefined
  }
  return { pages: next, pageParams }
}

/** One that is older than all that were read is on a page that was not. */
const insert = (
  pages: readonly Page<DocumentRecord>[],
  row: DocumentRecord,
  before: string | null,
): boolean => {
  if (before === null) {
    const last = pages.at(-1)!
    if (last.next_cursor === null) last.data.push(row)
    return true
  }
  const page = pages.find(({ data }) => data.some(({ id }) => id === before))
  page?.data.splice(
    page.data.findIndex(({ id }) => id === before),
    0,
    row,
  )
  return page !== undefined
}
