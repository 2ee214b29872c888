/**
 * The one way to write: perform(member). Members that decide purely are batched per lane; the
 * others run alone. Replies leave only after COMMIT, and until then a second use of the same key
 * in this process is told that the first is still running; across processes the key's lock says so.
 */
import { limits } from '../contract/limits.ts'
import type { Database } from '../database/pool.ts'
import { runAlone } from './transactional-write.ts'
import type { BatchOptions } from './batched-write.ts'
import { requestInProgress } from './idempotency.ts'
import { isPassing, unavailable } from './database-failures.ts'
import { Lane, isDecided } from './lane.ts'
import type { Member, Outcome } from './write-request.ts'

export interface Engine {
  perform(member: Member): Promise<Outcome>
  /** Whether this process is working on the key with this MAC. */
  isRunning(mac: Buffer): boolean
  /** Resolves when nothing is waiting or running. */
  drained(): Promise<void>
}

export interface EngineOptions extends Omit<BatchOptions, 'wait'> {
  /** Called after a COMMIT, by the batch or more often. */
  committed?(): void
}

export const openEngine = (database: Database, options: EngineOptions): Engine => {
  const lanes = Array.from(
    { length: limits.lanes },
    (_, i) => new Lane(database.dedicated(`docex lane ${i}`), options),
  )
  const running = new Set<string>()
  const alone = new Set<Promise<Outcome>>()

  const run = (member: Member): Promise<Outcome> => {
    if (isDecided(member)) return lanes[laneOf(member.organization)]!.perform(member)
    const work = runAlone(
      database,
      member as Member & { write: { kind: 'alone' } },
      options.retention,
    )
    alone.add(work)
    return work.finally(() => alone.delete(work))
  }

  return {
    perform: async (member) => {
      const key = member.dryRun ? undefined : member.idempotency?.mac.toString('latin1')
      if (key !== undefined) {
        if (running.has(key)) return requestInProgress()
        running.add(key)
      }
      try {
        const outcome = await run(member)
        if (outcome.kind === 'done' && !member.dryRun) options.committed?.()
        return outcome
      } catch (error) {
        if (isPassing(error)) {
          return { kind: 'refused', refusal: unavailable(error) }
        }
        throw error
      } finally {
        if (key !== undefined) running.delete(key)
      }
    },
    isRunning: (mac) => running.has(mac.toString('latin1')),
    drained: async () => {
      await Promise.allSettled([...lanes.map((lane) => lane.drained()), ...alone])
    },
  }
}

/** An organization's writes take one lane, so that they rarely wait for each other's head row. */
const laneOf = (organization: string): number =>
  Number.parseInt(organization.slice(-4), 16) % limits.lanes
