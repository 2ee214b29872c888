/**
 * The keys that authenticate histories and checkpoints as written by this service. Both are
 * append-only, so they keep the MACs with which they were written: the key of an older generation
 * is accepted below the size that the log had when the rekey was finished (docs/decisions/0062).
 */
import { eventMac } from './history-event.ts'
import { type CheckpointRow, type LogId, checkpointMac } from './signed-notes.ts'

export interface OlderHistoryKey {
  key: Buffer
  /** Valid for leaves below these indexes; Infinity until the rekey is finished. */
  untilSizes: Readonly<Record<LogId, number>>
}

/** Where an event is; no index before it is in the log. */
export interface LogPosition {
  log: LogId
  index: number | undefined
}

export class HistoryKeys {
  #newest: Buffer
  #older: readonly OlderHistoryKey[]

  constructor(newest: Buffer, older: readonly OlderHistoryKey[] = []) {
    this.#newest = newest
    this.#older = older
  }

  replace(newest: Buffer, older: readonly OlderHistoryKey[]): void {
    this.#newest = newest
    this.#older = older
  }

  /** The key that writes. */
  get newest(): Buffer {
    return this.#newest
  }

  isNewest(hash: Buffer, mac: Buffer): boolean {
    return mac.equals(eventMac(hash, this.#newest))
  }

  holdsEvent(hash: Buffer, mac: Buffer, { log, index }: LogPosition): boolean {
    return this.#accepts((key) => mac.equals(eventMac(hash, key)), log, (index ?? Infinity) + 1)
  }

  holdsCheckpoint(
    { size, mac, ...row }: CheckpointRow & { size: bigint; mac: Buffer },
    log: LogId,
  ): boolean {
    return this.#accepts((key) => mac.equals(checkpointMac(row, key)), log, Number(size))
  }

  /** Whether the MAC is of the newest key, or of one that was valid up to this size. */
  #accepts(isMacOf: (key: Buffer) => boolean, log: LogId, size: number): boolean {
    const older = this.#older.filter(({ untilSizes }) => size <= untilSizes[log])
    return isMacOf(this.#newest) || older.some(({ key }) => isMacOf(key))
  }
}
