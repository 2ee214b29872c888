/**
 * The rows of a batch that are not as they were sealed, as they are in the database. A decision
 * that needs one of them fails, and the others go on (docs/decisions/0052).
 */
import { BrokenSeal } from '../database/row-seals.ts'
import type { Rows } from '../database/rows.ts'

type Table = keyof Rows

interface BrokenRow {
  error: BrokenSeal
  row?: object
}

export class BrokenRows {
  readonly #rows = new Map<Table, Map<string, BrokenRow>>()

  /** From now on, a decision that needs the row fails; one without `row`, whatever it looks for. */
  mark(table: Table, id: string, { error = new BrokenSeal(table, id), row }: Partial<BrokenRow>) {
    const rows = this.#rows.get(table) ?? new Map<string, BrokenRow>()
    this.#rows.set(table, rows.set(id, { error, ...(row && { row }) }))
  }

  has(table: Table, id: string): boolean {
    return this.#rows.get(table)?.has(id) === true
  }

  check(table: Table, id: string): void {
    const broken = this.#rows.get(table)?.get(id)
    if (broken !== undefined) throw broken.error
  }

  checkAmong<T extends Table>(table: T, isNeeded: (row: Rows[T]) => boolean): void {
    for (const { error, row } of this.#rows.get(table)?.values() ?? []) {
      if (row === undefined || isNeeded(row as Rows[T])) throw error
    }
  }
}

/** The broken row that the check has found, if it has found one. */
export const failureOf = (check: () => void): BrokenSeal | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof BrokenSeal) return error
    throw error
  }
}
