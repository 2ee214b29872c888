/**
 * The locked rows that a decision may read and change, including the changes of earlier decisions
 * in the batch. Each decision works on an overlay, which a refusal or a dry run discards.
 */
import type { Refusal } from '../contract/errors.ts'
import { newId, pooledRandomBytes } from '../database/new-ids.ts'
import type { NewRow } from '../database/table-writes.ts'
import type { Rows } from '../database/rows.ts'
import { currentReceivable } from './load-receivables.ts'
import { MoreRowsNeeded, type RowsToLock } from './rows-to-lock.ts'
import {
  type DocumentLinks,
  type InsertTable,
  type LoadedReceivable,
  type LoadedTable,
  type ViewChange,
  type WorkingSet,
  keyOf,
} from './working-set.ts'

type Predicate<T extends LoadedTable> = (row: Rows[T]) => boolean

export interface UnitOfWork {
  /** The database clock, read after the locks were granted. */
  readonly now: string
  /** The same in Unix milliseconds. */
  readonly nowMs: number
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
  /** How many references to a long document the documents of an organization have issued before. */
  referencesTaken(document: string, by: string): number
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

/**
 * Thrown by a decision that is refused and yet leaves something behind: its own changes are
 * discarded, and those of `remember` are saved.
 */
export class RememberedRefusal extends Error {
  override name = 'RememberedRefusal'
  readonly refusal: Refusal
  readonly remember: (unit: UnitOfWork) => void
  /** The record for which the Idempotency-Key is kept from now on, until the write succeeds. */
  readonly keepsKeyFor: string | undefined
  constructor(refusal: Refusal, remember: (unit: UnitOfWork) => void, keepsKeyFor?: string) {
    super(refusal.message)
    this.refusal = refusal
    this.remember = remember
    this.keepsKeyFor = keepsKeyFor
  }
}

/** Runs one decision. Its changes join the set only if it returns and `keep` is set. */
export const runDecision = <R>(
  set: WorkingSet,
  decide: (unit: UnitOfWork) => R,
  { keep, named = {} }: { keep: boolean; named?: RowsToLock },
): R => {
  const overlay = new Overlay(set, named)
  const result = decide(overlay)
  if (keep) overlay.merge()
  return result
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
  readonly nowMs: number
  lateMs = 0

  constructor(set: WorkingSet, named: RowsToLock) {
    this.#set = set
    this.#named = named
    this.now = set.now
    this.nowMs = Date.parse(set.now)
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

  referencesTaken(document: string, by: string): number {
    return this.#set.referencesTaken.get(`${document} ${by}`) ?? 0
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
    return newId(this.nowMs)
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
