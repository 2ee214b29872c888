/**
 * Rows whose seals were verified lately, as PostgreSQL has printed them. Most reads show what was
 * just read by others or a moment ago, and comparing a text costs a tenth of its MAC.
 */
const textMaxLength = 16_384

type Texts = Map<string, string>

export class VerifiedRows {
  readonly #maxLength: number
  #newer: Texts = new Map()
  #older: Texts = new Map()
  /** Of the newer texts. */
  #length = 0

  /** Keeps texts of at most this length together, in characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Whether this very text was verified under this seal of the table. */
  has(table: string, seal: Buffer, text: string): boolean {
    const key = keyOf(table, seal)
    if (this.#newer.get(key) === text) return true
    if (this.#older.get(key) !== text) return false
    this.#keep(key, text)
    return true
  }

  add(table: string, seal: Buffer, text: string): void {
    if (text.length <= textMaxLength) this.#keep(keyOf(table, seal), text)
  }

  /** Once the newer half is full, the older one goes as a whole: a Map is slow at its own front. */
  #keep(key: string, text: string): void {
    this.#newer.set(key, text)
    this.#length += text.length
    if (this.#length <= this.#maxLength / 2) return
    this.#older = this.#newer
    this.#newer = new Map()
    this.#length = 0
  }
}

/** A seal of one table is none of another. */
const keyOf = (table: string, seal: Buffer): string => `${table} ${seal.toString('latin1')}`
