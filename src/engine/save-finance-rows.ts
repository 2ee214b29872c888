/** Writes the finance rows of a batch, referenced tables before those that refer to them. */
import type { Connection } from '../database/sql.ts'
import { insertRows, updateRows } from '../database/table-writes.ts'
import type { FinanceTable, WorkingSet } from './unit-of-work.ts'

/** The columns that may change after a row is inserted. */
const updatableColumns: Readonly<Record<FinanceTable, readonly string[]>> = {
  finance_setups: [
    ...['borrower_enabled', 'settlement_account', 'lender_enabled', 'funding_account'],
    ...['max_principal', 'updated_at'],
  ],
  finance_listings: ['status', 'collateral', 'updated_at', 'open_offers'],
  finance_offers: ['status', 'updated_at'],
  finance_agreements: [
    ...['status', 'is_funded', 'amount_owed', 'amount_repaid', 'collateral', 'flags'],
    ...['trigger_payment_id', 'closed_reason', 'due_at', 'due_by', 'funded_at', 'repaid_at'],
    ...['closed_at', 'updated_at'],
  ],
  finance_pledges: ['is_active', 'released_at'],
  demo_loans: ['step', 'due_at'],
}

/** Of the tables whose primary key is not `id`. */
const keys: Partial<Record<FinanceTable, string>> = {
  finance_setups: 'organization_id',
  demo_loans: 'listing_id',
}

const order = Object.keys(updatableColumns) as FinanceTable[]

/** Pipelined statements, each with the number of rows it must affect. */
export const saveFinanceRows = (
  db: Connection,
  set: WorkingSet,
): [touched: Promise<number>, rows: number][] =>
  // What ends comes first, since only one open or active row of its kind may exist.
  [
    ...order.flatMap((table) => updated(db, set, table)),
    ...order.flatMap((table) => inserted(db, set, table)),
  ]

const keyOf = (table: FinanceTable): string => keys[table] ?? 'id'

const isLoaded = (set: WorkingSet, table: FinanceTable, row: object): boolean =>
  set.loaded[table].has((row as Record<string, string>)[keyOf(table)]!)

const updated = (
  db: Connection,
  set: WorkingSet,
  table: FinanceTable,
): [Promise<number>, number][] => {
  const rows = set.savedRows(table).filter((row) => isLoaded(set, table, row))
  if (rows.length === 0) return []
  return [[updateRows(db, table, [keyOf(table)], updatableColumns[table], rows), rows.length]]
}

const inserted = (
  db: Connection,
  set: WorkingSet,
  table: FinanceTable,
): [Promise<number>, number][] => {
  const rows = set.savedRows(table).filter((row) => !isLoaded(set, table, row))
  if (rows.length === 0) return []
  return [[insertRows(db, table, rows as never), rows.length]]
}
