/** The reads that what is shown now has come from. */
import type { QueryClient } from '@tanstack/react-query'
import { type Query, urlOf } from './call.ts'

export interface PageRead {
  url: string
  /** What was answered; of a list, its pages. Undefined until then. */
  data: unknown
}

export const pageReads = (cache: QueryClient): PageRead[] =>
  cache
    .getQueryCache()
    .findAll({ type: 'active' })
    // Others are put together from calls that are listed themselves, or from several at once.
    .filter(({ queryKey }) => String(queryKey[1]).startsWith('/'))
    .map(({ queryKey, state }) => ({
      url: urlOf(queryKey[1] as string, queryKey[2] as Query),
      data: state.data,
    }))
