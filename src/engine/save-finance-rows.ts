/** Writes the finance rows of a batch, referenced tables before those that refer to them. */
import type { Connection } from '../database/sql.ts'
import { type ExpectedCounts, insertAdded, updateChanged } from './save-rows.ts'
import type { FinanceTable, WorkingSet } from './unit-of-work.ts'

/** The columns that may change after a row is inserted. */
const updatableColumns: Readonly<Record<FinanceTable, readonly string[]>> = {
  finance_setups: [
    'borrower_enabled',
    'settlement_account',
    'lender_enabled',
    'funding_account',
    'max_principal',
    'updated_at',
  ],
  finance_listings: ['status', 'collateral', 'updated_at', 'open_offers'],
  finance_offers: ['status', 'updated_at'],
  finance_agreements: [
    'status',
    'is_funded',
    'amount_owed',
    'amount_repaid',
    'collateral',
    'flags',
    'trigger_payment_id',
    'closed_reason',
    'due_at',
    'due_by',
    'funded_at',
    'repaid_at',
    'closed_at',
    'updated_at',
  ],
  finance_pledges: ['is_active', 'released_at'],
  demo_loans: ['step', 'due_at'],
}

const order = Object.keys(updatableColumns) as FinanceTable[]

export const saveFinanceRows = (db: Connection, set: WorkingSet): ExpectedCounts => [
  // What ends comes first, since only one open or active row of its kind may exist.
  ...order.flatMap((table) => updateChanged(db, set, table, updatableColumns[table])),
  ...order.flatMap((table) => insertAdded(db, set, table)),
]
