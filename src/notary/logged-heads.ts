/**
 * The last logged event of each document that was logged lately, in the memory of this process: who
 * removes an event from every table of the database cannot have another one logged in its place.
 * Documents that were logged longer ago are left to the auditor, since a map of all of them would
 * need a store outside of the database (docs/decisions/0064).
 */
import { limits } from '../contract/limits.ts'
import type { LogId } from '../core/provenance/signed-notes.ts'

export interface LoggedEvent {
  document_id: string
  seq: number
}

export class LoggedHeads {
  /** The size of the log, as far as it is known here. */
  size = 0
  /** In the order in which they were logged. */
  readonly #heads = new Map<string, number>()

  /** 0 if nothing of the document was logged lately. */
  of(documentId: string): number {
    return this.#heads.get(documentId) ?? 0
  }

  /** Adds leaves that were committed; `size` is that of the log with them. */
  add(leaves: readonly LoggedEvent[], size: number): void {
    for (const { document_id, seq } of leaves) {
      const head = Math.max(this.of(document_id), seq)
      this.#heads.delete(document_id)
      this.#heads.set(document_id, head)
    }
    this.size = Math.max(this.size, size)
    for (const oldest of this.#heads.keys()) {
      if (this.#heads.size <= limits.rememberedHeadsMax) return
      this.#heads.delete(oldest)
    }
  }
}

/** Nothing is known of an epoch at its begin: its log starts again, perhaps from a backup. */
export const openLoggedHeads = () => {
  const epochs = new Map<LogId, { origin: string; heads: LoggedHeads }>()
  const loggedHeads = ({ id, origin }: { id: LogId; origin: string }): LoggedHeads => {
    const known = epochs.get(id)
    if (known?.origin === origin) return known.heads
    const heads = new LoggedHeads()
    epochs.set(id, { origin, heads })
    return heads
  }
  /** The last logged event of a document of any log; 0 if nothing of it was logged lately. */
  const lastLoggedSeq = (documentId: string): number => {
    let last = 0
    for (const { heads } of epochs.values()) last = Math.max(last, heads.of(documentId))
    return last
  }
  return { loggedHeads, lastLoggedSeq }
}
