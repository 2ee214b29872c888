/** What the views of the documents list say. A page that only asks for documents does without. */
import type { DocumentFilters } from './filters.ts'

interface ViewText {
  title: string
  /** What it means that nothing is there. */
  empty: string
  /** Reached from a chart: it has no place of its own above the list. */
  isHidden?: boolean
}

export const viewTexts: Readonly<Record<string, ViewText>> = {
  all: { title: 'All', empty: 'Invoices, orders and quotes of both sides appear here.' },
  approve: { title: 'To approve', empty: 'Nothing waits for your decision.' },
  pay: { title: 'To pay', empty: 'No approved bill waits for its payment.' },
  sent: { title: 'Sent', empty: 'You have not created a document yet.' },
  received: {
    title: 'Received',
    empty: 'Your counterparties have not issued a document to you yet.',
  },
  receivable: { title: 'Owed to you', empty: 'Nobody owes you anything.' },
  payable: { title: 'You owe', empty: 'You owe nobody anything.' },
  due_in: { title: 'Due to you', empty: 'Nothing is due to you.', isHidden: true },
  due_out: { title: 'Due from you', empty: 'Nothing is due from you.', isHidden: true },
  overdue: { title: 'Overdue', empty: 'Nothing is past its due date, in either direction.' },
  drafts: { title: 'Drafts', empty: 'Only you see drafts, until you issue them.' },
  disputed: { title: 'Disputed', empty: 'Both sides agree on everything.' },
}

export const viewTextOf = ({ view }: DocumentFilters): ViewText =>
  viewTexts[view ?? 'all'] ?? viewTexts['all']!
