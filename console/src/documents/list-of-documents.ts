/** The documents that the filters of the address select, a page at a time. */
import { owedPhases } from '../../../src/contract/document-phases.ts'
import { payers } from '../../../src/contract/payers.ts'
import type { Query } from '../api/call.ts'
import { useList } from '../api/reads.ts'
import { useSandboxClock } from '../api/sandbox-clock.ts'
import { serviceNow } from '../api/service-clock.ts'
import { useSession } from '../api/session.ts'
import type { DocumentRecord } from '../api/types.ts'
import type { DocumentFilters } from './filters.ts'
import { queryOf, viewOf } from './views.ts'

export const useDocuments = (filters: DocumentFilters) => {
  const { organization } = useSession()
  const isOverdue = viewOf(filters).isOverdue === true
  const clock = useSandboxClock(isOverdue)
  const now = organization.mode === 'sandbox' ? clock.now : new Date(serviceNow()).toISOString()
  const query = isOverdue ? overdueQuery(filters, now) : queryOf(filters)
  const list = useList<DocumentRecord>(
    '/v1/documents',
    { limit: 50, ...query },
    { isEnabled: !clock.isAwaited },
  )
  // Its state and its due date find what is frozen as well, of which nothing is overdue.
  const rows = isOverdue ? list.rows?.filter(({ overdue }) => overdue) : list.rows
  return { ...list, rows, query }
}

const dayMs = 86_400_000

const payableTypes = Object.entries(payers).flatMap(([name, payer]) =>
  payer === null ? [] : [name],
)

/**
 * As `overdue` of a document: something is owed on it, and its due date is before today. Not every
 * role may read the clock of a sandbox: then the service searches by it, which reads more documents.
 */
const overdueQuery = (filters: DocumentFilters, now: string | undefined): Query => {
  const owed = { type: payableTypes.join(), phase: owedPhases.join(), ...queryOf(filters) }
  if (now === undefined) return { ...owed, query: `is:overdue ${filters.query ?? ''}`.trim() }
  const yesterday = new Date(Date.parse(now) - dayMs).toISOString().slice(0, 10)
  const { due_to: last = yesterday } = filters
  return { ...owed, due_to: last < yesterday ? last : yesterday }
}
