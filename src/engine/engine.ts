/**
 * The only entry point for business writes. Batched writes share the transactions of a lane;
 * transactional ones have their own. Responses leave only after COMMIT. Until then, a second
 * request with the same Idempotency-Key is refused as in progress: in this process by `running`,
 * across processes by the key's advisory lock.
 */
import { limits } from '../contract/limits.ts'
import { Refusal } from '../contract/errors.ts'
import { BrokenSeal } from '../database/row-seals.ts'
import type { Database } from '../database/pool.ts'
import { runTransactionalWrite } from './transactional-write.ts'
import type { BatchOptions } from './batched-write.ts'
import { requestInProgress } from './idempotency.ts'
import { isTransient, brokenRowBehind, unavailableRefusal } from './database-failures.ts'
import { Lane } from './lane.ts'
import { openNewestLimitUsage } from './newest-limit-usage.ts'
import type { WriteRequest, WriteOutcome } from './write-request.ts'

export interface Engine {
  /** Resolves to what became of the write, also if it was refused. */
  perform(request: WriteRequest): Promise<WriteOutcome>
  /** Whether this process is performing a write with this key, named by its lock. */
  isKeyInProgress(lock: bigint): boolean
  /** Resolves when no write is queued or running. */
  drained(): Promise<void>
}

export interface EngineOptions extends Omit<BatchOptions, 'newestLimitUsage'> {
  /** Called at least once per committed batch. */
  onCommit?(): void
  /** Raises the alarm, and returns what the caller is told. */
  refuseBrokenSeal(error: BrokenSeal): Promise<Refusal>
  /** Called when a write failed for a reason that its caller is not told. */
  onTransientFailure?(error: unknown): void
}

export const openEngine = (database: Database, options: EngineOptions): Engine => {
  const newestLimitUsage = openNewestLimitUsage()
  const lanes = Array.from(
    { length: limits.lanes },
    (_, i) => new Lane(database.lane(`docex lane ${i}`), { ...options, newestLimitUsage }),
  )
  const running = new Set<bigint>()
  const transactional = new Set<Promise<WriteOutcome>>()

  const run = (request: WriteRequest): Promise<WriteOutcome> => {
    const { organization, write } = request
    if (write.kind === 'batched') return lanes[laneOf(organization)]!.perform({ ...request, write })
    const work = runTransactionalWrite(database, { ...request, write }, options.idempotency)
    transactional.add(work)
    return work.finally(() => transactional.delete(work))
  }

  return {
    perform: async (request) => {
      const key = request.dryRun ? undefined : request.idempotency?.lock
      if (key !== undefined) {
        if (running.has(key)) return requestInProgress()
        running.add(key)
      }
      try {
        const outcome = await run(request)
        if (outcome.kind === 'done' && !request.dryRun) options.onCommit?.()
        return outcome
      } catch (error) {
        if (error instanceof Refusal) return { kind: 'refused', refusal: error }
        const broken = error instanceof BrokenSeal ? error : brokenRowBehind(error)
        if (broken !== undefined) {
          return { kind: 'refused', refusal: await options.refuseBrokenSeal(broken) }
        }
        if (!isTransient(error)) throw error
        options.onTransientFailure?.(error)
        return { kind: 'refused', refusal: unavailableRefusal(error) }
      } finally {
        if (key !== undefined) running.delete(key)
      }
    },
    isKeyInProgress: (lock) => running.has(lock),
    drained: async () => {
      await Promise.allSettled([...lanes.map((lane) => lane.drained()), ...transactional])
    },
  }
}

/** An organization's writes share a lane, so they rarely wait for each other's counters row. */
const laneOf = (organization: string): number =>
  Number.parseInt(organization.slice(-4), 16) % limits.lanes
