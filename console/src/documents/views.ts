/** The views of the documents list, and what each asks of the API: view-texts.ts has their names. */
import type { Query } from '../api/call.ts'
import type { DocumentFilters } from './filters.ts'

/** What is owed and has no payment that is scheduled or under way. */
const unpaid = 'pending,accepted,disputed'

interface View {
  query: Query
  /** Its query depends on today. */
  isOverdue?: boolean
}

export const views: Readonly<Record<string, View>> = {
  all: { query: {} },
  approve: { query: { direction: 'received', phase: 'pending' } },
  pay: { query: { owed: 'payable', phase: 'accepted' } },
  sent: { query: { direction: 'issued' } },
  received: { query: { direction: 'received' } },
  receivable: { query: { owed: 'receivable' } },
  payable: { query: { owed: 'payable' } },
  due_in: { query: { owed: 'receivable', phase: unpaid } },
  due_out: { query: { owed: 'payable', phase: unpaid } },
  overdue: { query: {}, isOverdue: true },
  drafts: { query: { phase: 'draft' } },
  disputed: { query: { phase: 'disputed' } },
}

export const viewOf = ({ view }: DocumentFilters): View => views[view ?? 'all'] ?? views['all']!

export const queryOf = (filters: DocumentFilters): Query => {
  const { view: _, ...chosen } = filters
  return { ...viewOf(filters).query, ...chosen }
}

/** Whether anything but the view narrows the list. */
export const isNarrowed = ({ view: _, ...chosen }: DocumentFilters): boolean =>
  Object.keys(chosen).length > 0
