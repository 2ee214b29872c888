/** The rows of a batch: as they were loaded, and as its decisions have saved them. */
import type { NewRow, WritableTable } from '../database/table-writes.ts'
import type { RowSeals } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { BrokenRows } from './broken-rows.ts'

/** Tables whose rows are loaded, with their key column. */
const primaryKeys = {
  documents: 'id',
  connections: 'id',
  organizations: 'id',
  organization_counters: 'organization_id',
  keys: 'id',
  limit_usage: 'id',
  approvals: 'request_key',
  approval_rule_sets: 'organization_id',
  payments: 'id',
  ledger_account: 'id',
  ledger_tx: 'id',
  processor_accounts: 'organization_id',
  demo_scripts: 'document_id',
  finance_setups: 'organization_id',
  finance_listings: 'id',
  finance_offers: 'id',
  finance_agreements: 'id',
  finance_pledges: 'id',
  demo_loans: 'listing_id',
} as const

export type LoadedTable = keyof typeof primaryKeys

export const keyColumnOf = (table: LoadedTable): string => primaryKeys[table]

export const keyOf = (table: LoadedTable, row: object): string =>
  (row as Record<string, string>)[primaryKeys[table]]!

/** Loaded tables in which a decision may also create rows, by saving them. */
export type UpsertTable =
  | 'payments'
  | 'ledger_tx'
  | 'limit_usage'
  | 'demo_scripts'
  | 'approvals'
  | FinanceTable
export type FinanceTable =
  | 'finance_setups'
  | 'finance_listings'
  | 'finance_offers'
  | 'finance_agreements'
  | 'finance_pledges'
  | 'demo_loans'
export type InsertTable = Exclude<WritableTable, Exclude<LoadedTable, 'documents'>>
/** The columns of a list row that change with the document. */
export type ViewChange = Pick<
  Rows['document_views'],
  | 'organization_id'
  | 'position'
  | 'status'
  | 'document_date'
  | 'updated_at'
  | 'currency'
  | 'due_date'
>

/** All references of one document, replacing its former ones. */
export interface DocumentLinks {
  from: string
  rows: readonly NewRow<'document_links'>[]
}

/** A pledged invoice, with its agreement. */
export interface Heir {
  agreement: string
  invoice: string
}

export interface LoadedReceivable {
  /** For the invoice and those that it replaces; undefined if these are too many. */
  fingerprints: readonly string[] | undefined
  /** Pledged invoices that have inherited one of the fingerprints since they were pledged. */
  heirs: readonly Heir[]
  /** The documents that this is derived from. */
  from: readonly string[]
}

type RowVersions = { [T in LoadedTable]: Map<string, Rows[T]> }

/** Typed by the cast, since an object of entries does not know which table has which rows. */
const emptyVersions = (): RowVersions =>
  Object.fromEntries(Object.keys(primaryKeys).map((table) => [table, new Map()])) as RowVersions

/** The row versions shared by a batch: the loaded ones, and those that decisions have saved. */
export class WorkingSet {
  readonly loaded: RowVersions = emptyVersions()
  readonly saved: RowVersions = emptyVersions()
  readonly inserts = new Map<InsertTable, object[]>()
  readonly views = new Map<string, ViewChange>()
  /** By referring document. */
  readonly links = new Map<string, DocumentLinks['rows']>()
  readonly receivables = new Map<string, LoadedReceivable>()
  /** By the document and the organization whose documents refer to it. */
  readonly referencesTaken = new Map<string, number>()
  readonly broken = new BrokenRows()
  now = ''

  readonly #seals: RowSeals

  constructor(seals: RowSeals) {
    this.#seals = seals
  }

  addLoaded<T extends LoadedTable>(table: T, rows: readonly Rows[T][]): void {
    const versions: Map<string, Rows[T]> = this.loaded[table]
    for (const row of rows) {
      const id = keyOf(table, row)
      if (this.#seals.holds(table, row)) versions.set(id, row)
      else this.broken.mark(table, id, { row })
    }
  }

  savedRows<T extends LoadedTable>(table: T): Rows[T][] {
    return [...(this.saved[table] as Map<string, Rows[T]>).values()]
  }

  /** The saved rows: those that were loaded before, and those that are new. */
  changesOf<T extends LoadedTable>(table: T): { changed: Rows[T][]; added: Rows[T][] } {
    const isLoaded = (row: Rows[T]) => this.loaded[table].has(keyOf(table, row))
    const rows = this.savedRows(table)
    return { changed: rows.filter(isLoaded), added: rows.filter((row) => !isLoaded(row)) }
  }

  isUnchanged(): boolean {
    const saved = Object.values(this.saved)
    const otherChanges = this.inserts.size + this.views.size + this.links.size
    return saved.every(({ size }) => size === 0) && otherChanges === 0
  }
}
