/**
 * What a decision may look at and what it may change: rows that are locked, as they stand after the
 * members decided before it. A decision works on an overlay; a refusal or a dry run drops it whole.
 */
import { newId, randomPart } from '../database/new-ids.ts'
import type { NewRow, Table } from '../database/table-writes.ts'
import type { Rows } from '../database/rows.ts'

/** Tables whose rows are loaded, with the column that names a row. */
const identified = {
  documents: 'id',
  connections: 'id',
  organizations: 'id',
  organization_heads: 'organization_id',
  keys: 'id',
  limit_usage: 'id',
  payments: 'id',
  ledger_account: 'id',
  ledger_tx: 'id',
  processor_accounts: 'organization_id',
  demo_scripts: 'document_id',
} as const

export type Loaded = keyof typeof identified
/** Loaded tables in which a decision may also make rows: it saves them. */
export type Made = 'payments' | 'ledger_tx' | 'limit_usage' | 'demo_scripts'
export type Inserted = Exclude<Table, Exclude<Loaded, 'documents'> | 'document_links'>
/** The part of a viewer's list row that moves with the document. */
export type ViewChange = Pick<
  Rows['document_views'],
  'organization_id' | 'created' | 'status' | 'document_date' | 'updated_at'
>

/** The references of one document, whatever it referred to before. */
export interface Links {
  from: string
  rows: readonly NewRow<'document_links'>[]
}

export interface World {
  /** Database clock, read after the locks were granted. */
  readonly now: string
  /** By how much what is done now is late: a clock that jumped has passed when it was due. */
  lateMs: number
  get<T extends Loaded>(table: T, id: string): Rows[T] | undefined
  /** The rows of a table, as they stand now, of which something holds. */
  find<T extends Loaded>(table: T, holds: (row: Rows[T]) => boolean): Rows[T][]
  /** The next version of a loaded row, or a new row of a table that is made by saving. */
  save<T extends Loaded>(table: T, row: Rows[T]): void
  insert<T extends Inserted>(table: T, row: NewRow<T>): void
  changeView(change: ViewChange): void
  setLinks(links: Links): void
  uuid(): string
  bytes(count: number): Buffer
}

type Versions = { [T in Loaded]: Map<string, Rows[T]> }

const noVersions = (): Versions => ({
  documents: new Map(),
  connections: new Map(),
  organizations: new Map(),
  organization_heads: new Map(),
  keys: new Map(),
  limit_usage: new Map(),
  payments: new Map(),
  ledger_account: new Map(),
  ledger_tx: new Map(),
  processor_accounts: new Map(),
  demo_scripts: new Map(),
})

/** The batch's one set of row versions: what was loaded, and what the members have made of it. */
export class WorkingSet {
  readonly loaded: Versions = noVersions()
  readonly saved: Versions = noVersions()
  readonly inserts = new Map<Inserted, object[]>()
  readonly views = new Map<string, ViewChange>()
  /** By the document that refers. */
  readonly links = new Map<string, Links['rows']>()
  now = ''

  admit<T extends Loaded>(table: T, rows: readonly Rows[T][]): void {
    const versions: Map<string, Rows[T]> = this.loaded[table]
    for (const row of rows) versions.set((row as Record<string, string>)[identified[table]]!, row)
  }

  rowsSaved<T extends Loaded>(table: T): Rows[T][] {
    return [...(this.saved[table] as Map<string, Rows[T]>).values()]
  }

  isUnchanged(): boolean {
    const saved = Object.values(this.saved)
    const others = this.inserts.size + this.views.size + this.links.size
    return saved.every(({ size }) => size === 0) && others === 0
  }

  /** Lets one member decide. Its changes join the set only when it returns and `keep` is set. */
  attempt<R>(decide: (world: World) => R, keep: boolean): R {
    const overlay = new Overlay(this)
    const result = decide(overlay)
    if (keep) overlay.merge()
    return result
  }
}

class Overlay implements World {
  readonly #set: WorkingSet
  readonly #saved: Versions = noVersions()
  readonly #inserts: { table: Inserted; row: object }[] = []
  readonly #views: ViewChange[] = []
  readonly #links: Links[] = []
  readonly now: string
  lateMs = 0

  constructor(set: WorkingSet) {
    this.#set = set
    this.now = set.now
  }

  get<T extends Loaded>(table: T, id: string): Rows[T] | undefined {
    const mine: Map<string, Rows[T]> = this.#saved[table]
    const batch: Map<string, Rows[T]> = this.#set.saved[table]
    const loaded: Map<string, Rows[T]> = this.#set.loaded[table]
    return mine.get(id) ?? batch.get(id) ?? loaded.get(id)
  }

  find<T extends Loaded>(table: T, holds: (row: Rows[T]) => boolean): Rows[T][] {
    const { loaded, saved } = this.#set
    const ids = new Set(
      [loaded, saved, this.#saved].flatMap((versions) => [...versions[table].keys()]),
    )
    return [...ids].map((id) => this.get(table, id)!).filter(holds)
  }

  save<T extends Loaded>(table: T, row: Rows[T]): void {
    const mine: Map<string, Rows[T]> = this.#saved[table]
    mine.set((row as Record<string, string>)[identified[table]]!, row)
  }

  insert<T extends Inserted>(table: T, row: NewRow<T>): void {
    this.#inserts.push({ table, row })
  }

  changeView(change: ViewChange): void {
    this.#views.push(change)
  }

  setLinks(links: Links): void {
    this.#links.push(links)
  }

  uuid(): string {
    return newId(Date.parse(this.now))
  }

  bytes(count: number): Buffer {
    return randomPart(count)
  }

  merge(): void {
    for (const table of Object.keys(identified) as Loaded[]) {
      const into = this.#set.saved[table] as Map<string, object>
      for (const [id, row] of this.#saved[table]) into.set(id, row)
    }
    for (const { table, row } of this.#inserts) {
      const rows = this.#set.inserts.get(table)
      if (rows === undefined) this.#set.inserts.set(table, [row])
      else rows.push(row)
    }
    for (const change of this.#views) {
      this.#set.views.set(`${change.organization_id} ${change.created}`, change)
    }
    for (const { from, rows } of this.#links) this.#set.links.set(from, rows)
  }
}
