/** Deliveries that have failed and are tried again: their endpoint has not failed for good yet. */
import { useRead } from '../api/reads.ts'
import type { Delivery, Page } from '../api/types.ts'
import { Status } from '../design/status.tsx'

const countedMost = 100
const countedEveryMs = 10_000

export const WaitingRetries = ({ webhook }: { webhook: string }) => {
  const { data } = useRead<Page<Delivery>>(
    `/v1/webhooks/${webhook}/deliveries`,
    { status: 'retrying', limit: countedMost },
    { refetchEveryMs: countedEveryMs },
  )
  if (data === undefined || data.data.length === 0) return null
  const atLeast = data.has_more ? 'at least ' : ''
  return <Status tone="warning">{`${atLeast}${data.data.length} waiting to be retried`}</Status>
}
