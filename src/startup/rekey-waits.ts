/**
 * What a rekey waits for: it says so, and gives up after a bound. Whoever gives the command again
 * waits for the same once more, since nothing of it is remembered.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from '../database/sql.ts'
import * as store from '../store/server-keys.ts'
import { remedyFor, transactionText } from './open-transactions.ts'

export interface Patience {
  /** How long it waits for one thing without progress. */
  maxSeconds: number
  /** Is told what it waits for, once for each thing. */
  say(line: string): void
}

/** It has waited to the end of its patience; nothing is lost. */
export class WaitedTooLong extends Error {}

type Found = readonly store.RunningTransaction[]

/** Transactions that began before may still seal under the generation they asked for. */
export const olderTransactionsHaveEnded = async (
  db: Connection,
  patience: Patience,
): Promise<void> => {
  const wait = openWait(patience)
  const older = new Set((await store.runningTransactions(db)).map(({ id }) => id))
  for (;;) {
    const running = await store.runningTransactions(db)
    const left = running.filter(({ id }) => older.has(id))
    if (left.length === 0) return
    await wait('that began before the new server key and may write under the old one', left)
  }
}

/**
 * Returns what waits for a moment, in which rows of a table may become free; whoever calls it has
 * made no progress since.
 */
export const openRowsWait = (
  db: Connection,
  table: string,
  patience: Patience,
): (() => Promise<void>) => {
  const wait = openWait(patience)
  return async () =>
    wait(`that may lock rows of ${table}`, await store.lockingTransactions(db, table))
}

const patientMs = 1_000

const openWait = ({ maxSeconds, say }: Patience) => {
  const begun = performance.now()
  let told = ''
  return async (which: string, found: Found): Promise<void> => {
    const waitedMs = performance.now() - begun
    const [first] = found
    // What ends by itself within a moment is not worth a line.
    const text =
      first === undefined ? `a transaction ${which}` : `the ${transactionText(first)}, ${which}`
    if (waitedMs > maxSeconds * 1_000) {
      throw new WaitedTooLong(
        `Waited ${maxSeconds} s for ${text}. ${remedyFor(first)}, and give the command again: ` +
          'it goes on where it stopped.',
      )
    }
    if (waitedMs > patientMs && text !== told) say(`Waits for ${text}.`)
    if (waitedMs > patientMs) told = text
    await pause(store.serverKeyTimes.retryMs)
  }
}
