/**
 * Writes the payment rows of a batch, referenced tables before those that refer to them. As a
 * safety net behind the locks, an account is updated only from the version that was read: a
 * concurrent change would match no row, and the whole batch would fail.
 */
import { type Connection, sql } from '../database/sql.ts'
import { type NewRow, insertRows, unnest } from '../database/table-writes.ts'
import { type ExpectedCounts, insertAdded, updateChanged } from './save-rows.ts'
import type { WorkingSet } from './unit-of-work.ts'

export const savePaymentRows = (db: Connection, set: WorkingSet): ExpectedCounts => [
  ...updateOrInsert(db, set, 'payments'),
  ...updateOrInsert(db, set, 'ledger_tx'),
  ...insertEntries(db, set),
  ...updateAccounts(db, set),
  ...upsertLimitUsage(db, set),
  ...updateOrInsert(db, set, 'demo_scripts'),
  ...updateOrInsert(db, set, 'approvals'),
]

/** The columns that may change after a row is inserted. */
const updatableColumns = {
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
} as const

const updateOrInsert = (
  db: Connection,
  set: WorkingSet,
  table: keyof typeof updatableColumns,
): ExpectedCounts => [
  // A payment that is cancelled makes room for the sweep that takes its place.
  ...updateChanged(db, set, table, updatableColumns[table]),
  ...insertAdded(db, set, table),
]

const insertEntries = (db: Connection, set: WorkingSet): ExpectedCounts => {
  const rows = (set.inserts.get('ledger_entry') ?? []) as NewRow<'ledger_entry'>[]
  return rows.length === 0 ? [] : [[insertRows(db, 'ledger_entry', rows), rows.length]]
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
  const touched = db.run(sql`
    update ledger_account a set posted = u.posted, pending_debit = u.pending_debit,
      pending_credit = u.pending_credit, overdraft = u.overdraft, version = u.version,
      last_posting = u.last_posting, seal = u.seal
    from ${unnest(rows, accountColumns)} where a.id = u.id and a.version = u.was`)
  return [[touched, rows.length]]
}

/** Requires the lock of the rotation chain's root. */
const upsertLimitUsage = (db: Connection, set: WorkingSet): ExpectedCounts => {
  const rows = set.savedRows('limit_usage')
  if (rows.length === 0) return []
  const update = sql`on conflict (id) do update set used = excluded.used,
    version = excluded.version, seal = excluded.seal`
  return [[insertRows(db, 'limit_usage', rows, update), rows.length]]
}
