/** Reads through the cache. The key of a read is its organization, path and query. */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, type Query, call } from './call.ts'
import { useSession } from './session.ts'
import type { Page } from './types.ts'

export const readKey = (organization: string, path: string, query: Query = {}) =>
  [organization, path, query] as const

export const readOptions = <Body>(organization: string, path: string, query: Query = {}) => ({
  queryKey: readKey(organization, path, query),
  queryFn: ({ signal }: { signal: AbortSignal }) => call<Body>('GET', path, { query, signal }),
})

interface ReadSettings {
  isEnabled?: boolean
  refetchEveryMs?: number | false
}

interface CachedRead {
  state: { error: Error | null }
}

/** What is refused to the person stays refused, so it is not asked for again and again. */
export const isForbidden = ({ state: { error } }: CachedRead): boolean =>
  error instanceof ApiError && error.status === 403

/** It is not in this organization, or in one of the other mode. */
export const isMissing = (error: ApiError | null): error is ApiError =>
  error?.code === 'not_found' || error?.code === 'sandbox_isolation'

export const unlessForbidden =
  (ms: number | false) =>
  (read: CachedRead): number | false =>
    isForbidden(read) ? false : ms

/** Without a setting, as the cache does. */
const repeated = ({ refetchEveryMs }: ReadSettings) =>
  refetchEveryMs === undefined ? {} : { refetchInterval: unlessForbidden(refetchEveryMs) }

export const useRead = <Body>(path: string, query: Query = {}, settings: ReadSettings = {}) => {
  const { organization } = useSession()
  return useQuery<Body, ApiError>({
    ...readOptions<Body>(organization.id, path, query),
    enabled: settings.isEnabled ?? true,
    ...repeated(settings),
  })
}

/** A list whose further pages are read on demand. */
export const useList = <Row>(path: string, query: Query = {}, settings: ReadSettings = {}) => {
  const { organization } = useSession()
  const list = useInfiniteQuery<
    Page<Row>,
    ApiError,
    { pages: Page<Row>[] },
    readonly unknown[],
    string | undefined
  >({
    queryKey: [...readKey(organization.id, path, query), 'list'],
    queryFn: ({ pageParam, signal }) =>
      call<Page<Row>>('GET', path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: settings.isEnabled ?? true,
    ...repeated(settings),
  })
  return { ...list, rows: list.data?.pages.flatMap((page) => page.data) }
}

interface Followed {
  rows: readonly unknown[] | undefined
  data: { pages: readonly unknown[] } | undefined
  error: Error | null
  hasNextPage: boolean
  isFetching: boolean
  fetchNextPage: () => unknown
}

/** So many empty pages are read by themselves; then the person says whether to go on. */
const emptyPagesMost = 10

/**
 * A page may be empty and yet have a next one, where few of many rows match. Undefined: there are
 * rows, or there are none at all.
 */
export const useFirstRows = (list: Followed) => {
  const { rows, data, error, hasNextPage, isFetching, fetchNextPage } = list
  const [pagesMost, setPagesMost] = useState(emptyPagesMost)
  const pages = data?.pages.length ?? 0
  const isEmptyYet = rows?.length === 0 && hasNextPage && error === null
  const isSearching = isEmptyYet && pages < pagesMost
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage()
  }, [isSearching, isFetching, fetchNextPage])
  if (!isEmptyYet) return undefined
  return { isSearching, goOn: () => setPagesMost(pages + emptyPagesMost) }
}

/** Reads on until there is a row that is shown, as far as one goes by oneself. */
export const nextShown =
  <Row>(list: ReturnType<typeof useList<Row>>, isShown: (row: Row) => boolean) =>
  async (): Promise<void> => {
    for (let pages = 0; pages < emptyPagesMost; pages++) {
      const { data, hasNextPage } = await list.fetchNextPage()
      if (!hasNextPage || data?.pages.at(-1)?.data.some(isShown)) return
    }
  }

/** Everything that this page shows is read again, since a write may change any of it. */
export const useRefresh = (): (() => Promise<void>) => {
  const cache = useQueryClient()
  return () => cache.invalidateQueries()
}
