/** The latest calls with a key: the table and a rotation read them once, and so say the same. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { allRows } from '../api/all-rows.ts'
import type { ApiError } from '../api/call.ts'
import { readKey, useRead } from '../api/reads.ts'
import { serviceNow } from '../api/service-clock.ts'
import { useSession } from '../api/session.ts'
import type { Key, Page, RequestLogEntry } from '../api/types.ts'

/** So many calls are counted. */
export const countedMost = 100
const followEveryMs = 5_000
export const hourMs = 3_600_000
/** As long as a rotation takes, so that the log is searched no further back. */
const searchedMs = 24 * hourMs

/** All of them: the older of a rotation may be far down the list. */
export const useKeys = (): readonly Key[] => {
  const { organization } = useSession()
  const { data } = useQuery<Key[], ApiError>({
    queryKey: [...readKey(organization.id, '/v1/keys'), 'all'],
    queryFn: async ({ signal }) => (await allRows<Key>('/v1/keys', {}, { signal })).rows,
  })
  return data ?? []
}

export const useCallsOf = (key: string, isEnabled = true) => {
  // On the hour, so that whoever asks meanwhile asks the same.
  const [hour] = useState(() => Math.floor(serviceNow() / hourMs) * hourMs)
  const since = new Date(hour - searchedMs).toISOString()
  return useRead<Page<RequestLogEntry>>(
    '/v1/requests',
    { key, since, limit: countedMost },
    { isEnabled, refetchEveryMs: followEveryMs },
  )
}

/** Of a key that takes part in a rotation, as of its last call: its own time lags by a minute. */
export const useLastUse = (key: Key): string | null => {
  const keys = useKeys()
  const isRotated =
    key.status === 'rotating' ||
    keys.some(({ status, rotated_to_id }) => status === 'rotating' && rotated_to_id === key.id)
  const calls = useCallsOf(key.id, isRotated)
  return calls.data?.data[0]?.created_at ?? key.last_used_at
}
