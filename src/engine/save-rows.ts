/**
 * Saves the rows of loaded tables that decisions have changed or created: pipelined statements, at
 * most two per table. As a safety net behind the locks, an account is updated only from the version
 * that was read: a concurrent change would match no row, and the whole batch would fail.
 */
import { columnArray } from '../database/binary-arrays.ts'
import type { Rows } from '../database/rows.ts'
import { type Connection, sql } from '../database/sql.ts'
import { type NewRow, sendNewRows, unnest, sendUpdates } from '../database/table-writes.ts'
import { type UpsertTable, type WorkingSet, keyColumnOf } from './working-set.ts'

/** Statements that have been sent, each with the number of rows it must affect. */
export type ExpectedCounts = [table: keyof Rows, touched: Promise<number>, rows: number][]

type SavedTable = Exclude<UpsertTable, 'limit_usage'>

/**
 * The columns that may change after a row is inserted. Referenced tables come before those that
 * refer to them.
 */
const updatableColumns: { readonly [T in SavedTable]: readonly (keyof Rows[T])[] } = {
  payments: [
    'status',
    'payer_account',
    'out_tx',
    'in_tx',
    'scheduled_for',
    'due_at',
    'attempts',
    'settlement_reference',
    'failure_code',
    'failure_message',
    'limit_root',
    'limit_day',
    'limit_version',
    'source',
    'method',
    'processing_at',
    'settled_at',
    'failed_at',
    'returned_at',
    'updated_at',
    'initiated_by',
  ],
  ledger_tx: [
    'status',
    'posted_version',
    'running_balance',
    'previous_posting',
    'effective_at',
    'resolved_at',
  ],
  demo_scripts: ['step', 'revision', 'due_at'],
  approvals: ['status', 'ended_at'],
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

const savedTables = Object.keys(updatableColumns) as SavedTable[]

export const saveRows = (db: Connection, set: WorkingSet): ExpectedCounts => [
  ...savedTables.flatMap((table) => updateAndInsert(db, set, table)),
  ...insertEntries(db, set),
  ...updateAccounts(db, set),
  ...upsertLimitUsage(db, set),
]

/** What ends comes first, since only one open or active row of its kind may exist. */
const updateAndInsert = (db: Connection, set: WorkingSet, table: SavedTable): ExpectedCounts => {
  const { changed, added } = set.changesOf(table)
  const sent: ExpectedCounts = []
  if (changed.length > 0) {
    const updated = sendUpdates(db, table, {
      key: [keyColumnOf(table)],
      set: updatableColumns[table],
      rows: changed,
    })
    sent.push([table, updated, changed.length])
  }
  if (added.length > 0) sent.push([table, sendNewRows(db, table, added as never), added.length])
  return sent
}

const insertEntries = (db: Connection, set: WorkingSet): ExpectedCounts => {
  const rows = (set.inserts.get('ledger_entry') ?? []) as NewRow<'ledger_entry'>[]
  return rows.length === 0
    ? []
    : [['ledger_entry', sendNewRows(db, 'ledger_entry', rows), rows.length]]
}

const accountColumns = {
  id: 'uuid',
  was: 'bigint',
  posted: 'bigint',
  pending_debit: 'bigint',
  pending_credit: 'bigint',
  overdraft: 'bigint',
  version: 'bigint',
  last_posting: 'bigint',
  seal: 'bytea',
} as const

const updateAccounts = (db: Connection, set: WorkingSet): ExpectedCounts => {
  const saved = set.savedRows('ledger_account')
  if (saved.length === 0) return []
  const versionOf = (id: string) => set.loaded.ledger_account.get(id)!.version
  const rows = saved.map((row) => ({
    ...db.seals.seal('ledger_account', row),
    was: versionOf(row.id),
  }))
  const ids = columnArray(
    'uuid',
    rows.map(({ id }) => id),
  )
  const touched = db.run(sql`
    update ledger_account a set posted = u.posted, pending_debit = u.pending_debit,
      pending_credit = u.pending_credit, overdraft = u.overdraft, version = u.version,
      last_posting = u.last_posting, seal = u.seal
    from ${unnest(rows, accountColumns)}
    where a.id = any(${ids}) and a.id = u.id and a.version = u.was`)
  return [['ledger_account', touched, rows.length]]
}

/** Requires the lock of the rotation chain's root. */
const upsertLimitUsage = (db: Connection, set: WorkingSet): ExpectedCounts => {
  const rows = set.savedRows('limit_usage')
  if (rows.length === 0) return []
  const update = sql`on conflict (id) do update set used = excluded.used,
    version = excluded.version, seal = excluded.seal`
  return [['limit_usage', sendNewRows(db, 'limit_usage', rows, update), rows.length]]
}
