/**
 * Whose delivery starts next. Endpoints take turns, one delivery each; of one endpoint a bounded
 * number is in flight. An attempt that takes long makes its endpoint slow, and no longer counts
 * among the fast: a slow endpoint gets one at a time, of a share that is apart. So however many
 * hang, there is room for those that do not.
 */
import { limits } from '../contract/limits.ts'

/** What takes turns: the deliveries in hand for one endpoint. */
export interface FairQueue {
  readonly id: string
  /** How many wait; a turn with none is passed over. */
  waitingCount(): number
  inFlight: number
}

interface RunningAttempt<T> {
  queue: T
  startedAtMs: number
  isSlow: boolean
}

export class FairScheduler<T extends FairQueue> {
  readonly #send: (turn: T) => Promise<void>
  /** In the order of their turns. */
  readonly #ready = new Set<T>()
  /** Slow ones for which there is no room now. */
  readonly #waitingForSlowLane = new Set<T>()
  readonly #slowIds = new Set<string>()
  /** The oldest first. */
  readonly #fastAttempts = new Set<RunningAttempt<T>>()
  #slowCount = 0

  constructor(send: (turn: T) => Promise<void>) {
    this.#send = send
  }

  get inFlight(): number {
    return this.#fastAttempts.size + this.#slowCount
  }

  /** Its last answers took long, or do. */
  isSlow(id: string): boolean {
    return this.#slowIds.has(id)
  }

  /** It has something waiting. */
  offer(queue: T): void {
    this.#ready.add(queue)
  }

  /** Starts what there is room for. */
  dispatch(): void {
    const now = performance.now()
    this.#markSlow(now)
    // What is added again while the loop runs comes last, and is visited again.
    for (const queue of this.#ready) {
      const isFull = this.#fastAttempts.size >= limits.concurrentFastDeliveriesMax
      if (isFull || this.inFlight >= limits.concurrentDeliveriesMax) return
      this.#ready.delete(queue)
      const isSlow = this.#slowIds.has(queue.id)
      if (queue.waitingCount() === 0) continue
      if (queue.inFlight >= (isSlow ? 1 : limits.concurrentDeliveriesPerEndpointMax)) continue
      if (isSlow && this.#slowCount >= limits.concurrentSlowDeliveriesMax) {
        this.#waitingForSlowLane.add(queue)
        continue
      }
      void this.#startAttempt({ queue, startedAtMs: now, isSlow })
      this.#ready.add(queue)
    }
  }

  #markSlow(now: number): void {
    for (const attempt of this.#fastAttempts) {
      if (now - attempt.startedAtMs < limits.slowResponseMs) return
      this.#fastAttempts.delete(attempt)
      this.#slowCount += 1
      attempt.isSlow = true
      this.#slowIds.add(attempt.queue.id)
    }
  }

  async #startAttempt(attempt: RunningAttempt<T>): Promise<void> {
    const { queue, startedAtMs } = attempt
    queue.inFlight += 1
    if (attempt.isSlow) this.#slowCount += 1
    else this.#fastAttempts.add(attempt)
    await this.#send(queue)
    queue.inFlight -= 1
    if (performance.now() - startedAtMs < limits.slowResponseMs) this.#slowIds.delete(queue.id)
    if (attempt.isSlow) {
      this.#slowCount -= 1
      for (const waiting of this.#waitingForSlowLane) this.#ready.add(waiting)
      this.#waitingForSlowLane.clear()
    } else this.#fastAttempts.delete(attempt)
    this.#ready.add(queue)
    this.dispatch()
  }
}
