/**
 * Rows whose seals were verified lately, as PostgreSQL has printed them. Most reads show what was
 * just read by others or a moment ago, and comparing a text costs a tenth of its MAC.
 */
const textMaxLength = 16_384

export class VerifiedRows {
  readonly #texts = new Map<string, string>()
  readonly #maxLength: number
  #length = 0

  /** Keeps the newest texts of this length together, in characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Whether this very text was verified under this seal of the table. */
  has(table: string, seal: Buffer, text: string): boolean {
    return this.#texts.get(keyOf(table, seal)) === text
  }

  add(table: string, seal: Buffer, text: string): void {
    if (text.length > textMaxLength) return
    const key = keyOf(table, seal)
    this.#length += text.length - (this.#texts.get(key)?.length ?? 0)
    this.#texts.set(key, text)
    for (const [oldest, { length }] of this.#texts) {
      if (this.#length <= this.#maxLength) return
      this.#texts.delete(oldest)
      this.#length -= length
    }
  }
}

/** A seal of one table is none of another. */
const keyOf = (table: string, seal: Buffer): string => `${table} ${seal.toString('latin1')}`
