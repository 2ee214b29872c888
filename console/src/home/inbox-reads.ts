/**
 * The first documents of each view of Home. One list of the API has them all, newest first, so one
 * call is enough for a small organization. A large one has more open than a page: what the newest do
 * not tell is read by itself, or two views at a time, since Home makes few calls.
 */
import { useRead } from '../api/reads.ts'
import type { DocumentRecord, Page as Rows } from '../api/types.ts'
import { isPayable } from '../documents/payable.ts'
import { views } from '../documents/views.ts'

/** What a line of Home shows, and what tells the views apart. */
const fields = [
  'id',
  'number',
  'label',
  'document_type',
  'direction',
  'phase',
  'total',
  'currency',
  'due_date',
  'overdue',
  'payable',
  'issuer.name',
  'counterparty.name',
].join(',')

const shared = { phase: 'pending,accepted,disputed,draft', limit: 100, fields }

/** What waits for somebody, newest first. */
export const useWaiting = () => useRead<Rows<DocumentRecord>>('/v1/documents', shared)

/** Whether more is open than one page tells. */
export const useIsLarge = (): boolean => useWaiting().data?.has_more === true

/** What is read together where the newest documents of all kinds tell neither view. */
const pair = { views: ['disputed', 'drafts'], query: { phase: 'disputed,draft' } }

type Documents = Rows<DocumentRecord>

/** Undefined unless the page has all of the view, or more than are shown. */
const toldBy = (page: Documents | undefined, view: string, count: number) => {
  if (page === undefined) return undefined
  const { query } = views[view]!
  const data = page.data.filter(
    (document) =>
      document.phase === query['phase'] &&
      (query['direction'] ?? document.direction) === document.direction &&
      (query['owed'] !== 'payable' || isPayable(document)),
  )
  // Why one of them cannot be paid now, and whether it is owed all the same, the service knows.
  if (query['owed'] === 'payable' && data.some(({ payable }) => !payable)) return undefined
  if (page.has_more && data.length <= count) return undefined
  return { data: data.slice(0, count), has_more: data.length > count }
}

/** From the newest of all kinds, else with the other view of the pair, else by itself. */
export const useFirstOf = (view: string, count: number) => {
  const all = useWaiting()
  const isTold = (page: Documents | undefined, name: string) =>
    page === undefined || toldBy(page, name, count) !== undefined
  const isPairUntold =
    pair.views.includes(view) && pair.views.every((name) => !isTold(all.data, name))
  const paired = useRead<Documents>(
    '/v1/documents',
    { ...pair.query, limit: 100, fields },
    { isEnabled: isPairUntold },
  )
  const source = isPairUntold ? paired : all
  const own = useRead<Documents>(
    '/v1/documents',
    { ...views[view]!.query, limit: count, fields },
    { isEnabled: !isTold(source.data, view) },
  )
  if (!isTold(source.data, view)) return own
  const data = toldBy(source.data, view, count)
  return { data, error: source.error, refetch: source.refetch }
}
