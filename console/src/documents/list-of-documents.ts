/** The documents that the filters of the address select, a page at a time. */
import { owedPhases } from '../../../src/contract/document-phases.ts'
import { documentTypes } from '../../../src/contract/document-types.ts'
import type { Query } from '../api/call.ts'
import { useList, useRead } from '../api/reads.ts'
import { useSession } from '../api/session.ts'
import type { Clock, DocumentRecord } from '../api/types.ts'
import type { DocumentFilters } from './filters.ts'
import { queryOf, viewOf } from './views.ts'

export const useDocuments = (filters: DocumentFilters) => {
  const { organization } = useSession()
  const isOverdue = viewOf(filters).isOverdue === true
  const hasClock = isOverdue && organization.mode === 'sandbox'
  const clock = useRead<Clock>('/v1/sandbox/clock', {}, { isEnabled: hasClock }).data
  const query = isOverdue ? overdueQuery(filters, clock?.now) : queryOf(filters)
  const list = useList<DocumentRecord>(
    '/v1/documents',
    { limit: 50, ...query },
    { isEnabled: !hasClock || clock !== undefined },
  )
  // No filter tells what is frozen: nothing of it is overdue, whatever its state and its due date are.
  const rows = isOverdue ? list.rows?.filter(({ overdue }) => overdue) : list.rows
  return { ...list, rows, query }
}

const dayMs = 86_400_000

const payableTypes = Object.entries(documentTypes).flatMap(([name, { payer }]) =>
  payer === null ? [] : [name],
)

/** As \`overdue\` of a document: something is owed on it, and its due date is before today. */
const overdueQuery = (filters: DocumentFilters, now = new Date().toISOString()): Query => {
  const yesterday = new Date(Date.parse(now) - dayMs).toISOString().slice(0, 10)
  const { due_to: last = yesterday } = filters
  return {
    type: payableTypes.join(),
    phase: owedPhases.join(),
    ...queryOf(filters),
    due_to: last < yesterday ? last : yesterday,
  }
}
