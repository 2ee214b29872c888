/**
 * Rows that a sealed row names (docs/decisions/0106). The service deletes none of them, so that one
 * that is missing was deleted in the database, and nothing is decided.
 */
import { pledgeHeldFor } from '../../core/finance/document-finance.ts'
import { missingRow } from '../../database/row-seals.ts'
import type { Rows } from '../../database/rows.ts'
import type { UnitOfWork } from '../../engine/unit-of-work.ts'
import type { FinanceTable } from '../../engine/working-set.ts'
import type { DocumentRow } from '../change-context.ts'

export const referencedRow = <T extends FinanceTable | 'documents'>(
  unit: UnitOfWork,
  table: T,
  id: string,
): Rows[T] => {
  const row = unit.get(table, id)
  if (row === undefined) throw missingRow(table, id)
  return row
}

/** The rows of the pledge for this agreement, as long as the invoice says that it is held. */
export const pledgeRowsOf = (
  unit: UnitOfWork,
  invoice: DocumentRow,
  agreement: string,
): Rows['finance_pledges'][] => {
  const pledge = pledgeHeldFor(invoice, agreement)
  if (pledge === null) return []
  const isOfIt = (row: Rows['finance_pledges']) => row.agreement_id === agreement
  const rows = unit.find('finance_pledges', isOfIt, ({ is_active }) => is_active)
  const found = new Set(rows.map(({ fingerprint }) => fingerprint))
  const missing = pledge.fingerprints.find((fingerprint) => !found.has(fingerprint))
  if (missing === undefined) return rows
  throw missingRow('finance_pledges', `${agreement} ${missing}`)
}
