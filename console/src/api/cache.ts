/** What has been read, kept for a moment. */
import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './call.ts'
import { unlessForbidden } from './reads.ts'

export const createCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      // Offline, a write is refused at once: the default would hold it back, and send it later.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 15_000,
        // Changes are followed (live.ts); this is for when they cannot be.
        refetchInterval: unlessForbidden(60_000),
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && [0, 502, 503].includes(error.status),
      },
    },
  })
