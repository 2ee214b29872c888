/** The filters of the documents list: what the address says, and what is asked of the API. */
import type { Query } from '../api/call.ts'

const names = ['view', 'query', 'type', 'status', 'connection', 'since', 'until'] as const

export type DocumentFilters = Partial<Record<(typeof names)[number], string>>

export const documentFiltersOf = (search: Record<string, unknown>): DocumentFilters =>
  Object.fromEntries(
    names.flatMap((name) =>
      search[name] === undefined || search[name] === '' ? [] : [[name, String(search[name])]],
    ),
  )

interface View {
  title: string
  query: Query
  /** What it means that nothing is there. */
  empty: string
}

export const views: Readonly<Record<string, View>> = {
  all: { title: 'All', query: {}, empty: 'Invoices, orders and quotes of both sides appear here.' },
  approve: {
    title: 'To approve',
    query: { direction: 'received', phase: 'pending' },
    empty: 'Nothing waits for your decision.',
  },
  pay: {
    title: 'To pay',
    query: { direction: 'received', phase: 'accepted' },
    empty: 'No approved bill waits for its payment.',
  },
  sent: {
    title: 'Sent',
    query: { direction: 'issued' },
    empty: 'You have not created a document yet.',
  },
  received: {
    title: 'Received',
    query: { direction: 'received' },
    empty: 'Your counterparties have not issued a document to you yet.',
  },
  drafts: {
    title: 'Drafts',
    query: { phase: 'draft' },
    empty: 'Only you see drafts, until you issue them.',
  },
  disputed: {
    title: 'Disputed',
    query: { phase: 'disputed' },
    empty: 'Both sides agree on everything.',
  },
}

export const viewOf = ({ view }: DocumentFilters): View => views[view ?? 'all'] ?? views['all']!

export const documentQueryOf = (filters: DocumentFilters): Query => ({
  limit: 50,
  ...fileQueryOf(filters),
})

/** A file has no pages. */
export const fileQueryOf = (filters: DocumentFilters): Query => {
  const { view: _, ...chosen } = filters
  return { ...viewOf(filters).query, ...chosen }
}

/** Whether anything but the view narrows the list. */
export const isNarrowed = ({ view: _, ...chosen }: DocumentFilters): boolean =>
  Object.keys(chosen).length > 0
