/** What will be paid: scheduled payments, and the open balances of documents by their due dates. */
import { useQuery } from '@tanstack/react-query'
import { allRows } from '../api/all-rows.ts'
import type { ApiError } from '../api/call.ts'
import { readKey } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Currency, DocumentRecord, Payment } from '../api/types.ts'
import { isPayable } from '../documents/payable.ts'

export interface CalendarEntry {
  id: string
  day: string
  /** `late` is scheduled after its document is due. */
  kind: 'scheduled' | 'late' | 'due' | 'overdue'
  direction: 'outgoing' | 'incoming'
  amount: number
  currency: Currency
  document: string
  /** Of the document; null if it is not read, or has none. */
  number: string | null
  connection: string
}

interface Entries {
  entries: CalendarEntry[]
  /** Whether there were more records than are read for it. */
  isCut: boolean
}

/** Owed. What is scheduled counts on the day of its payment, and no longer on its due date. */
const openPhases = 'pending,accepted,disputed,paying'

export const useCalendarEntries = () => {
  const { organization } = useSession()
  return useQuery<Entries, ApiError>({
    queryKey: [...readKey(organization.id, '/v1/payments'), 'calendar'],
    queryFn: async ({ signal }) => {
      const [payments, documents] = await Promise.all([
        allRows<Payment>('/v1/payments', { status: 'scheduled' }, { signal }),
        allRows<DocumentRecord>('/v1/documents', { phase: openPhases }, { signal }),
      ])
      const byId = new Map(documents.rows.map((document) => [document.id, document]))
      const planned = payments.rows.map((payment) => scheduled(payment, byId))
      return {
        entries: [...planned.flat(), ...documents.rows.flatMap(due)],
        isCut: payments.isCut || documents.isCut,
      }
    },
  })
}

const scheduled = (
  { scheduled_for: day, ...payment }: Payment,
  documents: ReadonlyMap<string, DocumentRecord>,
): CalendarEntry[] => {
  if (day === null) return []
  const { id, direction, amount, currency, document_id, connection_id } = payment
  const { number = null, due_date = null } = documents.get(document_id) ?? {}
  const kind = due_date !== null && day > due_date ? 'late' : 'scheduled'
  const of = { document: document_id, connection: connection_id, number }
  return [{ id, day, kind, direction, amount, currency, ...of }]
}

const due = (document: DocumentRecord): CalendarEntry[] => {
  const { id, due_date: day, balance_due: amount, currency, number, connection_id } = document
  if (day === null || amount <= 0 || document.phase === 'paying') return []
  const kind = document.overdue ? 'overdue' : 'due'
  const direction = isPayable(document) ? 'outgoing' : 'incoming'
  const of = { document: id, connection: connection_id, number }
  return [{ id, day, kind, direction, amount, currency, ...of }]
}
