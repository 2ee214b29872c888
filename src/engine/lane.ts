/**
 * Performs queued writes in batches, one transaction each. While a batch runs, the next one
 * collects; there is no timer, so a lone caller never waits. Organizations share a lane round
 * robin, so one with many callers does not delay the others.
 */
import assert from 'node:assert/strict'
import { unavailable } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { isOutage } from '../database/outages.ts'
import { UnwrittenRows } from '../database/row-seals.ts'
import type { ReconnectingConnection } from '../database/pool.ts'
import { type Connection, sql } from '../database/sql.ts'
import { type BatchOptions, type BatchResult, runBatch } from './batched-write.ts'
import type { BatchedRequest, WriteOutcome } from './write-request.ts'
import { type RowsToLock, rowsWithMore } from './rows-to-lock.ts'

interface QueuedWrite {
  request: BatchedRequest
  resolve(outcome: WriteOutcome): void
  reject(error: unknown): void
  queuedAtMs: number
  timesPostponed: number
}

interface QueuedBatch {
  queued: readonly QueuedWrite[]
  /** Only for a batch of one. */
  waitForLocks: boolean
}

export class Lane {
  readonly #connection: ReconnectingConnection
  readonly #options: BatchOptions
  readonly #queues = new Map<string, QueuedWrite[]>()
  #queuedCount = 0
  #queuedBytes = 0
  #running: Promise<void> | undefined
  /** A moving average. */
  #msPerBatch = 0

  constructor(connection: ReconnectingConnection, options: BatchOptions) {
    this.#connection = connection
    this.#options = options
  }

  async perform(request: BatchedRequest): Promise<WriteOutcome> {
    if (!this.#makeRoomFor(request)) return overloaded()
    return new Promise<WriteOutcome>((resolve, reject) => {
      this.#enqueue({ request, resolve, reject, queuedAtMs: performance.now(), timesPostponed: 0 })
      this.#running ??= this.#run()
    })
  }

  async drained(): Promise<void> {
    await this.#running
  }

  /**
   * Whether the write may wait: not if it would probably wait too long for its organization's turn.
   * A full lane refuses the last write of the organization that has most of them waiting.
   */
  #makeRoomFor({ organization }: BatchedRequest): boolean {
    const own = this.#queues.get(organization)?.length ?? 0
    const organizations = this.#queues.size + (own === 0 ? 1 : 0)
    const share = Math.max(1, limits.batchMaxWrites / organizations)
    if ((own / share) * this.#msPerBatch > limits.queueExpectedWaitMaxMs) return false
    const isFull =
      this.#queuedCount >= limits.queueMaxWrites || this.#queuedBytes >= limits.queueMaxBytes
    return !isFull || this.#refuseLastOfLongest(own)
  }

  #refuseLastOfLongest(own: number): boolean {
    const [, longest] = maxBy([...this.#queues], ([, queue]) => queue.length)!
    if (longest.length <= own + 1) return false
    const last = longest.pop()!
    this.#queuedCount -= 1
    this.#queuedBytes -= last.request.inputBytes
    last.resolve(overloaded())
    return true
  }

  #enqueue(queued: QueuedWrite): void {
    const queue = this.#queues.get(queued.request.organization)
    if (queue === undefined) this.#queues.set(queued.request.organization, [queued])
    else queue.push(queued)
    this.#queuedCount += 1
    this.#queuedBytes += queued.request.inputBytes
  }

  /** Takes one write per organization in turn until the batch is full. */
  #dequeueBatch(): QueuedWrite[] {
    const batch: QueuedWrite[] = []
    let bytes = 0
    while (
      this.#queuedCount > 0 &&
      batch.length < limits.batchMaxWrites &&
      bytes < limits.batchMaxBytes
    ) {
      for (const [organization, queue] of this.#queues) {
        if (batch.length >= limits.batchMaxWrites || bytes >= limits.batchMaxBytes) break
        const next = queue.shift()!
        batch.push(next)
        bytes += next.request.inputBytes
        this.#queuedCount -= 1
        this.#queuedBytes -= next.request.inputBytes
        // Re-inserted last, so that the next batch starts with the other organizations.
        this.#queues.delete(organization)
        if (queue.length > 0) this.#queues.set(organization, queue)
      }
    }
    return batch
  }

  async #run(): Promise<void> {
    // Writes from one turn of the event loop share the first batch.
    await new Promise(setImmediate)
    while (this.#queuedCount > 0) {
      const [dropped, batch] = partition(this.#dequeueBatch(), isDropped)
      for (const queued of dropped) queued.resolve(overloaded())
      const [skipLocked, [waitForLock, ...others]] = partition(batch, canSkipLocked)
      if (skipLocked.length > 0) await this.#perform({ queued: skipLocked, waitForLocks: false })
      // At most one lock wait per round, so that writes behind it are delayed by one wait only.
      for (const queued of others) this.#enqueue(queued)
      if (waitForLock !== undefined)
        await this.#perform({ queued: [waitForLock], waitForLocks: true })
    }
    this.#running = undefined
  }

  async #perform({ queued: batch, waitForLocks }: QueuedBatch): Promise<void> {
    let results: BatchResult[]
    const startedAtMs = performance.now()
    try {
      const db = await this.#connection.get()
      results = await this.#runOrRollBack(db, { queued: batch, waitForLocks })
    } catch (error) {
      if (batch.length > 1 && !isOutage(error) && !(error instanceof UnwrittenRows)) {
        // One write broke the batch: perform each alone, unless nobody waits for it any more.
        for (const queued of batch) {
          if (isDropped(queued)) queued.resolve(overloaded())
          else await this.#perform({ queued: [queued], waitForLocks })
        }
      } else for (const queued of batch) queued.reject(error)
      return
    }
    const tookMs = performance.now() - startedAtMs
    this.#msPerBatch += (tookMs - this.#msPerBatch) / limits.laneSpeedBatches
    results.forEach((result, i) => {
      const queued = batch[i]!
      if (result.kind === 'failed') return queued.reject(result.error)
      if (result.kind !== 'postponed') return queued.resolve(result)
      if (result.needs === undefined) queued.timesPostponed += 1
      else queued.request = withMoreRows(queued.request, result.needs)
      this.#enqueue(queued)
    })
  }

  async #runOrRollBack(
    db: Connection,
    { queued, waitForLocks }: QueuedBatch,
  ): Promise<BatchResult[]> {
    try {
      const requests = queued.map(({ request }) => request)
      return await runBatch(db, { requests, waitForLocks }, this.#options)
    } catch (error) {
      if (!db.isBroken) await db.run(sql`rollback`).catch(() => db.destroy())
      throw error
    }
  }
}

const maxBy = <T>(all: readonly T[], valueOf: (item: T) => number): T | undefined =>
  all.reduce<T | undefined>(
    (max, item) => (max === undefined || valueOf(item) > valueOf(max) ? item : max),
    undefined,
  )

const partition = <T>(all: readonly T[], predicate: (item: T) => boolean): [T[], T[]] => [
  all.filter(predicate),
  all.filter((item) => !predicate(item)),
]

const overloaded = (): WriteOutcome => ({
  kind: 'refused',
  refusal: unavailable(
    'More writes are waiting than the service can handle. Send the same request with the same Idempotency-Key again.',
  ),
})

/** Whether it has waited too long, or its caller has hung up. */
const isDropped = ({ queuedAtMs, request }: QueuedWrite): boolean =>
  performance.now() - queuedAtMs > limits.queueMaxWaitMs || request.isAbandoned?.() === true

/** Whether the write may be postponed once more instead of waiting for its lock. */
const canSkipLocked = ({ timesPostponed }: QueuedWrite): boolean =>
  timesPostponed < limits.skipLockedMaxTimes

/** The same write with more rows to lock. A decision that lacks what it has asked for is a bug. */
const withMoreRows = (request: BatchedRequest, needs: RowsToLock): BatchedRequest => {
  const before: Record<string, readonly unknown[]> = { ...request.write.rowsToLock }
  const isLacking = Object.entries<readonly unknown[]>({ ...needs }).some(([kind, ids]) =>
    ids.some((id) => before[kind]?.includes(id) !== true),
  )
  assert(isLacking, 'a decision asks only for rows that it has not named yet')
  const rowsToLock = rowsWithMore(request.write.rowsToLock, needs)
  return { ...request, write: { ...request.write, rowsToLock } }
}
