/** Canaries: unique words in texts, to detect when a response leaks a text to the wrong reader. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type Queryable, raw, sql } from '../../../src/database/sql.ts'
import { storedHistory } from '../provenance/stored-history.ts'
import { storedEvents } from '../webhooks/stored-events.ts'

const canaryPattern = /w[0-9a-f]{16}w/g

export class Canaries {
  /** The words hidden from each organization. */
  readonly #hidden = [new Set<string>(), new Set<string>()] as const
  readonly #all = new Set<string>()

  /** Makes a text with a unique word, and with characters that are special in JSON, HTML or SQL. */
  textWithCanary(hiddenFrom: readonly (0 | 1)[]): { text: string; word: string } {
    const word = `w${randomBytes(8).toString('hex')}w`
    for (const reader of hiddenFrom) this.#hidden[reader].add(word)
    this.#all.add(word)
    return { text: `"${word}\\ 'é😀 </script> %_ ${word}`, word }
  }

  /** Allows an organization to read these words from now on. */
  reveal(words: readonly string[], to: 0 | 1): void {
    for (const word of words) this.#hidden[to].delete(word)
  }

  /** Fails if a text contains a word hidden from its reader; a stranger (−1) may see none. */
  assertNoneVisible(where: string, text: string, reader: number): void {
    const hidden = this.#hidden[reader] ?? this.#all
    for (const [word] of text.matchAll(canaryPattern)) {
      assert(!hidden.has(word), `${where} shows ${word}: ${text}`)
    }
  }
}

/** The stored texts that one organization can read: its events, and its slots of histories. */
export const storedTextsFor = async (
  database: Queryable,
  organization: string,
): Promise<string[]> => {
  const events = await storedEvents(database, sql`e.organization_id = ${organization}`)
  const texts = events.map(({ payload }) => payload)
  for (const side of ['issuer', 'counterparty'] as const) {
    const own = sql`select id from documents where ${raw(`${side}_id`)} = ${organization}`
    for (const event of await storedHistory(database, sql`e.document_id in (${own})`)) {
      texts.push(event.shared_body ?? '', event[`${side}_body`] ?? '')
    }
  }
  return texts
}
