/** Reads again what may have changed. Of a long list of documents, only those that have. */
import type { Query, QueryClient } from '@tanstack/react-query'
import { isForbidden } from './reads.ts'

/** The ids of documents; null where it may be anything. */
export type Changed = ReadonlySet<string> | null

/** As many as one call asks for. */
export const idsMost = 50

/** None of these shows what a document says. */
const apart = /^\/v1\/(connections|keys|members|invitations|preferences|saved_views)\b/

interface Reading {
  /** What is being read may be older than what the person has just done, and is begun anew. */
  isOwn: boolean
}

export const readChanged = async (
  cache: QueryClient,
  changed: Changed,
  { isOwn }: Reading,
): Promise<void> => {
  const lists = changed === null ? [] : longLists(cache, Math.ceil(changed.size / idsMost))
  const isRead = (read: Query) =>
    !lists.includes(read) &&
    (isOwn || !isForbidden(read)) &&
    (changed === null || !apart.test(String(read.queryKey[1])))
  const reading = cache.invalidateQueries({ predicate: isRead }, { cancelRefetch: isOwn })
  if (lists.length > 0) {
    const { updateLists } = await import('./long-lists.ts')
    await updateLists(cache, lists, [...changed!])
  }
  await reading
}

/** Those of which more pages were read than the documents that have changed take. */
const longLists = (cache: QueryClient, pagesMost: number): Query[] =>
  cache
    .getQueryCache()
    .findAll({
      type: 'active',
      predicate: ({ queryKey, state }) =>
        queryKey[1] === '/v1/documents' &&
        queryKey[3] === 'list' &&
        ((state.data as { pages: unknown[] } | undefined)?.pages.length ?? 0) > pagesMost,
    })
