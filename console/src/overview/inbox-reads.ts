/**
 * The first documents of each view of Home. One list of the API has them all, newest first, so one
 * call is enough for a small organization; a view that its page cannot tell is read by itself.
 */
import { useRead } from '../api/reads.ts'
import type { DocumentRecord, Page as Rows } from '../api/types.ts'
import { views } from '../documents/views.ts'

/** What a line of Home shows, and what tells the views apart. */
const fields = [
  ...['id', 'number', 'label', 'direction', 'phase', 'total', 'currency', 'due_date', 'overdue'],
  ...['issuer.name', 'counterparty.name'],
].join(',')

const shared = { phase: 'pending,accepted,disputed,draft', limit: 100, fields }

/** What waits for somebody, newest first. */
export const useWaiting = () => useRead<Rows<DocumentRecord>>('/v1/documents', shared)

export const useFirstOf = (view: string, count: number) => {
  const { query } = views[view]!
  const all = useWaiting()
  const ofView = all.data?.data.filter(
    ({ direction, phase }) =>
      phase === query['phase'] && (query['direction'] ?? direction) === direction,
  )
  const isTold = ofView === undefined || !all.data!.has_more || ofView.length > count
  const own = useRead<Rows<DocumentRecord>>(
    '/v1/documents',
    { ...query, limit: count, fields },
    { isEnabled: !isTold },
  )
  if (!isTold) return own
  const data = ofView && { data: ofView.slice(0, count), has_more: ofView.length > count }
  return { data, error: all.error, refetch: all.refetch }
}
