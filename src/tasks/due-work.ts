/**
 * Performs the due work of a task, with a backoff for work that has failed because the rows that it
 * needs cannot be believed or read. Such work stays due, so enough of it would fill every round and
 * keep all other work from its turn. It waits, twice as long after each failure, and then comes
 * after whatever has not failed.
 */
import type { Context } from '../context.ts'
import { isRefusal } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { backoffMs } from '../core/backoff.ts'
import { isOutage } from '../database/outages.ts'
import { BrokenSeal } from '../database/row-seals.ts'

interface Round<T> {
  limit: number
  /** At most this many, in the order in which they are to be done. */
  find(most: number): Promise<T[]>
  keyOf(work: T): string
  /** False if it has changed nothing. */
  run(work: T): Promise<boolean | void>
  /** One after the other. */
  inTurn?: true
}

export interface DueWork {
  /** Returns whether there may be more: the round was full, and some of it has succeeded. */
  perform<T>(context: Context, round: Round<T>): Promise<boolean>
}

const wait = { firstMs: 1_000, maxMs: limits.taskBackoffMaxMs }

/** Each search has one of its own: what the search does not find any more is forgotten. */
export const openDueWork = (task: string): DueWork => {
  const failed = new Map<string, { failures: number; untilMs: number }>()
  const isWaiting = (key: string): boolean => (failed.get(key)?.untilMs ?? 0) > performance.now()
  const add = (key: string): void => {
    const failures = (failed.get(key)?.failures ?? 0) + 1
    failed.delete(key)
    failed.set(key, { failures, untilMs: performance.now() + backoffMs(wait, failures, 0) })
    const [oldest] = failed.keys()
    if (failed.size > limits.taskBackoffsMax) failed.delete(oldest!)
  }
  const forgetAllBut = (keys: ReadonlySet<string>): void => {
    for (const key of failed.keys()) if (!keys.has(key)) failed.delete(key)
  }
  const due = async <T>({ limit, find, keyOf }: Round<T>): Promise<T[]> => {
    const most = limit + failed.size
    const found = await find(most)
    if (found.length < most) forgetAllBut(new Set(found.map(keyOf)))
    const ready = found.filter((work) => !isWaiting(keyOf(work)))
    const fresh = ready.filter((work) => !failed.has(keyOf(work)))
    const again = ready.filter((work) => failed.has(keyOf(work)))
    return [...fresh, ...again].slice(0, limit)
  }
  const attempt = async <T>(context: Context, { keyOf, run }: Round<T>, work: T) => {
    const key = keyOf(work)
    try {
      const hasChanged = await run(work)
      failed.delete(key)
      return hasChanged !== false
    } catch (error) {
      if (endsRound(error)) throw error
      add(key)
      if (error instanceof BrokenSeal) await context.refuseBrokenSeal(error)
      // For an integrity_failure, the engine has raised the alarm.
      else if (!isRefusal(error, 'integrity_failure'))
        context.log.error({ error, task, key }, 'work_failed')
      return false
    }
  }
  return {
    perform: async (context, round) => {
      const works = await due(round)
      const outcomes: Promise<boolean>[] = []
      for (const work of works) {
        const outcome = attempt(context, round, work)
        outcomes.push(outcome)
        if (round.inTurn === true) await outcome
      }
      const done = await Promise.all(outcomes)
      return works.length === round.limit && done.includes(true)
    },
  }
}

const endsRound = (error: unknown): boolean =>
  isOutage(error) || isRefusal(error, 'service_unavailable')
