/** The rows that the finance part of a document names, for whoever verifies it. */
import { financeOf } from '../../core/finance/document-finance.ts'
import type { ReferencedFinanceRows } from '../../core/provenance/record-verification.ts'
import { type Queryable, sql } from '../../database/sql.ts'
import { rowsWhere } from '../../database/table-writes.ts'

export const referencedFinanceRows = async (
  db: Queryable,
  document: { finance: string | null },
): Promise<ReferencedFinanceRows> => {
  const { listing, loan, pledge } = financeOf(document)
  const agreement = pledge?.agreement ?? null
  const [finance_listings, finance_agreements, finance_pledges] = await Promise.all([
    rowsWhere(db, 'finance_listings', sql`id = ${listing}`),
    rowsWhere(db, 'finance_agreements', sql`id = ${loan?.agreement ?? null}`),
    rowsWhere(db, 'finance_pledges', sql`agreement_id = ${agreement} and is_active`),
  ])
  return { finance_listings, finance_agreements, finance_pledges }
}
