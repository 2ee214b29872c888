/** What will be paid: scheduled payments, and the open balances of documents by their due dates. */
import { useQuery } from '@tanstack/react-query'
import { type ApiError, type Query, call } from '../api/call.ts'
import { readKey } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, DocumentRecord, Page, Payment } from '../api/types.ts'
import { isPayable } from '../documents/moves.ts'

export interface CalendarEntry {
  id: string
  day: string
  kind: 'scheduled' | 'due' | 'overdue'
  direction: 'outgoing' | 'incoming'
  amount: number
  currency: Currency
  document: string
  connection: string
}

interface Entries {
  entries: CalendarEntry[]
  /** Whether there were more records than are read for it. */
  isCut: boolean
}

/** Of 100 records each, newest first. */
const pagesMost = 10

/** Owed, and not scheduled yet: what is, is in the payments. */
const openPhases = 'pending,accepted,disputed'

export const useCalendarEntries = () => {
  const { organization } = useSession()
  return useQuery<Entries, ApiError>({
    queryKey: [...readKey(organization.id, '/v1/payments'), 'calendar'],
    queryFn: async ({ signal }) => {
      const [payments, documents] = await Promise.all([
        readAll<Payment>('/v1/payments', { status: 'scheduled' }, signal),
        readAll<DocumentRecord>('/v1/documents', { phase: openPhases }, signal),
      ])
      return {
        entries: [...payments.rows.flatMap(scheduled), ...documents.rows.flatMap(due)],
        isCut: payments.isCut || documents.isCut,
      }
    },
  })
}

const readAll = async <Row>(path: string, query: Query, signal: AbortSignal) => {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMost; pages += 1) {
    const page = await call<Page<Row>>('GET', path, {
      query: { ...query, limit: 100, cursor },
      signal,
    })
    rows.push(...page.data)
    if (page.next_cursor === null) return { rows, isCut: false }
    cursor = page.next_cursor
  }
  return { rows, isCut: true }
}

const scheduled = ({ scheduled_for: day, ...payment }: Payment): CalendarEntry[] =>
  day === null
    ? []
    : [
        {
          ...{ id: payment.id, day, kind: 'scheduled', direction: payment.direction },
          ...{ amount: payment.amount, currency: payment.currency },
          ...{ document: payment.document_id, connection: payment.connection_id },
        },
      ]

const due = (document: DocumentRecord): CalendarEntry[] =>
  document.due_date === null || document.balance_due <= 0
    ? []
    : [
        {
          ...{ id: document.id, day: document.due_date },
          kind: document.overdue ? 'overdue' : 'due',
          direction: isPayable(document) ? 'outgoing' : 'incoming',
          ...{ amount: document.balance_due, currency: document.currency },
          ...{ document: document.id, connection: document.connection_id },
        },
      ]
