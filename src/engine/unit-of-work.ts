/**
 * The locked rows that a decision may read and change, including the changes of earlier decisions
 * in the batch. Each decision works on an overlay, which a refusal or a dry run discards.
 */
import type { Refusal } from '../contract/errors.ts'
import { newId, pooledRandomBytes } from '../database/new-ids.ts'
import type { NewRow, WritableTable } from '../database/table-writes.ts'
import type { RowSeals } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'
import { BrokenRows } from './broken-rows.ts'
import { type LoadedReceivable, currentReceivable } from './load-receivables.ts'
import { MoreRowsNeeded, RememberedRefusal, type RowsToLock } from './write-request.ts'

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

const keyOf = (table: LoadedTable, row: object): string =>
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

type Predicate<T extends LoadedTable> = (row: Rows[T]) => boolean

export interface UnitOfWork {
  /** The database clock, read after the locks were granted. */
  readonly now: string
  /** Whether the write has named the row, so that it is locked with all that belongs to it. */
  isNamed(kind: keyof RowsToLock, id: string): boolean
  /** Ends the decision, which has had no effect yet; it is made again with these rows locked. */
  needRows(rows: RowsToLock): never
  /** Ends the decision with a refusal, discards its changes, and saves those of `remember`. */
  refuseAndRemember(
    refusal: Refusal,
    remember: (unit: UnitOfWork) => void,
    keepsKeyFor?: string,
  ): never
  /** How late this step runs, in milliseconds: a clock advance may jump past its due time. */
  lateMs: number
  get<T extends LoadedTable>(table: T, id: string): Rows[T] | undefined
  /** The row as earlier transactions left it. */
  getLoaded<T extends LoadedTable>(table: T, id: string): Rows[T] | undefined
  /**
   * The current rows of a table among those that the decision needs. It fails if one of these is
   * not as it was sealed, so `isNeeded` asks for what they were loaded by, and `isWanted` the rest.
   */
  find<T extends LoadedTable>(table: T, isNeeded: Predicate<T>, isWanted?: Predicate<T>): Rows[T][]
  /** What identifies the pledged twins of an invoice that the write has named in `receivables`. */
  receivable(invoice: string): LoadedReceivable
  /** Saves the next version of a loaded row, or a new row of an UpsertTable. */
  save<T extends LoadedTable>(table: T, row: Rows[T]): void
  insert<T extends InsertTable>(table: T, row: NewRow<T>): void
  /** Whether this decision has inserted a row into the table. */
  hasInserted(table: InsertTable): boolean
  /** The rows that this decision has inserted into the table so far. */
  inserted<T extends InsertTable>(table: T): NewRow<T>[]
  updateView(change: ViewChange): void
  /** Only for drafts; the links of other documents are inserted once. */
  replaceLinks(links: DocumentLinks): void
  newId(): string
  randomBytes(count: number): Buffer
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

  /** Runs one decision. Its changes join the set only if it returns and `keep` is set. */
  runDecision<R>(decide: (unit: UnitOfWork) => R, keep: boolean, named: RowsToLock = {}): R {
    const overlay = new Overlay(this, named)
    const result = decide(overlay)
    if (keep) overlay.merge()
    return result
  }
}

class Overlay implements UnitOfWork {
  readonly #set: WorkingSet
  readonly #named: RowsToLock
  /** Most decisions save rows of two or three tables. */
  readonly #saved = new Map<LoadedTable, Map<string, object>>()
  readonly #inserts: { table: InsertTable; row: object }[] = []
  readonly #views: ViewChange[] = []
  readonly #links: DocumentLinks[] = []
  readonly now: string
  readonly #nowMs: number
  lateMs = 0

  constructor(set: WorkingSet, named: RowsToLock) {
    this.#set = set
    this.#named = named
    this.now = set.now
    this.#nowMs = Date.parse(set.now)
  }

  isNamed(kind: keyof RowsToLock, id: string): boolean {
    const { similarTo = [], ...ids } = this.#named
    if (kind === 'similarTo') return similarTo.some(({ document_id }) => document_id === id)
    return ids[kind]?.includes(id) === true
  }

  needRows(rows: RowsToLock): never {
    throw new MoreRowsNeeded(rows)
  }

  refuseAndRemember(...remembered: ConstructorParameters<typeof RememberedRefusal>): never {
    throw new RememberedRefusal(...remembered)
  }

  #own<T extends LoadedTable>(table: T): Map<string, Rows[T]> | undefined {
    return this.#saved.get(table) as Map<string, Rows[T]> | undefined
  }

  get<T extends LoadedTable>(table: T, id: string): Rows[T] | undefined {
    const batch: Map<string, Rows[T]> = this.#set.saved[table]
    const loaded: Map<string, Rows[T]> = this.#set.loaded[table]
    this.#set.broken.check(table, id)
    return this.#own(table)?.get(id) ?? batch.get(id) ?? loaded.get(id)
  }

  getLoaded<T extends LoadedTable>(table: T, id: string): Rows[T] | undefined {
    this.#set.broken.check(table, id)
    return (this.#set.loaded[table] as Map<string, Rows[T]>).get(id)
  }

  find<T extends LoadedTable>(
    table: T,
    isNeeded: Predicate<T>,
    isWanted: Predicate<T> = () => true,
  ): Rows[T][] {
    this.#set.broken.checkAmong(table, isNeeded)
    const loaded: Map<string, Rows[T]> = this.#set.loaded[table]
    const batch: Map<string, Rows[T]> = this.#set.saved[table]
    const own = this.#own(table) ?? new Map<string, Rows[T]>()
    const found: Rows[T][] = []
    const add = (row: Rows[T]) => isNeeded(row) && isWanted(row) && found.push(row)
    for (const [id, row] of loaded) add(own.get(id) ?? batch.get(id) ?? row)
    for (const [id, row] of batch) if (!loaded.has(id)) add(own.get(id) ?? row)
    for (const [id, row] of own) if (!loaded.has(id) && !batch.has(id)) add(row)
    return found
  }

  receivable(invoice: string): LoadedReceivable {
    return currentReceivable(this.#set, invoice)
  }

  save<T extends LoadedTable>(table: T, row: Rows[T]): void {
    const own = this.#own(table) ?? new Map<string, Rows[T]>()
    own.set(keyOf(table, row), row)
    this.#saved.set(table, own)
  }

  insert<T extends InsertTable>(table: T, row: NewRow<T>): void {
    this.#inserts.push({ table, row })
  }

  hasInserted(table: InsertTable): boolean {
    return this.#inserts.some((insert) => insert.table === table)
  }

  inserted<T extends InsertTable>(table: T): NewRow<T>[] {
    const inserts = this.#inserts.filter((insert) => insert.table === table)
    return inserts.map(({ row }) => row as NewRow<T>)
  }

  updateView(change: ViewChange): void {
    this.#views.push(change)
  }

  replaceLinks(links: DocumentLinks): void {
    this.#links.push(links)
  }

  newId(): string {
    return newId(this.#nowMs)
  }

  randomBytes(count: number): Buffer {
    return pooledRandomBytes(count)
  }

  merge(): void {
    for (const [table, rows] of this.#saved) {
      const into = this.#set.saved[table] as Map<string, object>
      for (const [id, row] of rows) into.set(id, row)
    }
    for (const { table, row } of this.#inserts) {
      const rows = this.#set.inserts.get(table)
      if (rows === undefined) this.#set.inserts.set(table, [row])
      else rows.push(row)
    }
    for (const change of this.#views) {
      this.#set.views.set(`${change.organization_id} ${change.position}`, change)
    }
    for (const { from, rows } of this.#links) this.#set.links.set(from, rows)
  }
}
