/**
 * The keys of one purpose, one for each generation of the server key (docs/decisions/0062). What is
 * written uses the newest one; what was written under an older one is accepted until a rekey is
 * finished.
 *
 * A process learns of generations while it runs, so users keep this object, not a key out of it.
 */
export class ServerKeys {
  #keys: ReadonlyMap<number, Buffer>
  #newest: number

  /** Keys above `newest` are known, but nothing is written under them yet. */
  constructor(keys: ReadonlyMap<number, Buffer>, newest: number) {
    this.#keys = keys
    this.#newest = newest
  }

  /** The keys of a deployment that never had another server key. */
  static only(key: Buffer): ServerKeys {
    return new ServerKeys(new Map([[1, key]]), 1)
  }

  replace(keys: ReadonlyMap<number, Buffer>, newest: number): void {
    this.#keys = keys
    this.#newest = newest
  }

  /** The generation whose key writes. */
  get generation(): number {
    return this.#newest
  }

  /** The key that writes. */
  get newest(): Buffer {
    const key = this.#keys.get(this.#newest)
    if (key === undefined) throw new MissingServerKey(this.#newest)
    return key
  }

  get count(): number {
    return this.#keys.size
  }

  /** Whether the process has the key under which is written. */
  get isComplete(): boolean {
    return this.#keys.has(this.#newest)
  }

  of(generation: number): Buffer | undefined {
    return this.#keys.get(generation)
  }

  /** All keys with their generations: the one that writes, then the others, newest first. */
  all(): [generation: number, key: Buffer][] {
    const newest = this.#newest
    if (!this.isComplete) throw new MissingServerKey(newest)
    return [...this.#keys].toSorted(
      ([a], [b]) => Number(b === newest) - Number(a === newest) || b - a,
    )
  }

  /** The first result of a key. */
  first<T>(attempt: (key: Buffer) => T | undefined): T | undefined {
    const { newest } = this
    if (this.#keys.size === 1) return attempt(newest)
    for (const [, key] of this.all()) {
      const result = attempt(key)
      if (result !== undefined) return result
    }
    return undefined
  }
}

/** The deployment has moved to a server key that this process was not given. */
export class MissingServerKey extends Error {
  override name = 'MissingServerKey'
  constructor(generation: number) {
    super(
      `the database is written under generation ${generation} of the server key, which this process does not have`,
    )
  }
}
