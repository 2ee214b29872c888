/** The views of the documents list, and what each asks of the API. */
import type { Query } from '../api/call.ts'
import type { DocumentFilters } from './filters.ts'

/** What is owed and has no payment that is scheduled or under way. */
const unpaid = 'pending,accepted,disputed'

interface View {
  title: string
  query: Query
  /** What it means that nothing is there. */
  empty: string
  /** Its query depends on today. */
  isOverdue?: boolean
  /** Reached from a chart: it has no place of its own above the list. */
  isHidden?: boolean
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
    query: { owed: 'payable', phase: 'accepted' },
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
  receivable: {
    title: 'Owed to you',
    query: { owed: 'receivable' },
    empty: 'Nobody owes you anything.',
  },
  payable: { title: 'You owe', query: { owed: 'payable' }, empty: 'You owe nobody anything.' },
  due_in: {
    title: 'Due to you',
    query: { owed: 'receivable', phase: unpaid },
    empty: 'Nothing is due to you.',
    isHidden: true,
  },
  due_out: {
    title: 'Due from you',
    query: { owed: 'payable', phase: unpaid },
    empty: 'Nothing is due from you.',
    isHidden: true,
  },
  overdue: {
    title: 'Overdue',
    query: {},
    isOverdue: true,
    empty: 'Nothing is past its due date, in either direction.',
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

export const queryOf = (filters: DocumentFilters): Query => {
  const { view: _, ...chosen } = filters
  return { ...viewOf(filters).query, ...chosen }
}

/** Whether anything but the view narrows the list. */
export const isNarrowed = ({ view: _, ...chosen }: DocumentFilters): boolean =>
  Object.keys(chosen).length > 0
