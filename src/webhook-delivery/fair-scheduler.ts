/**
 * Decides which delivery starts next. Endpoints take turns, one delivery each, with a bounded
 * number in flight per endpoint. An attempt that takes long marks its endpoint as slow and moves to
 * the slow lane: a slow endpoint gets one attempt at a time, from a separate quota. However many
 * endpoints hang, there is room for the others.
 */
import { limits } from '../contract/limits.ts'

/** The queued deliveries of one endpoint. */
export interface ScheduledQueue {
  readonly id: string
  /** The number of deliveries ready to be sent. */
  waitingCount(): number
  inFlight: number
}

/** Resolves to false if no delivery could be sent, which says nothing about the endpoint. */
type SendNext<T> = (queue: T) => Promise<boolean>

interface RunningAttempt<T> {
  queue: T
  startedAtMs: number
  isSlow: boolean
}

export class FairScheduler<T extends ScheduledQueue> {
  readonly #send: SendNext<T>
  /** In round-robin order. */
  readonly #ready = new Set<T>()
  readonly #waitingForSlowLane = new Set<T>()
  readonly #slowIds = new Set<string>()
  /** Oldest first. */
  readonly #fastAttempts = new Set<RunningAttempt<T>>()
  #slowCount = 0

  constructor(send: SendNext<T>) {
    this.#send = send
  }

  get inFlight(): number {
    return this.#fastAttempts.size + this.#slowCount
  }

  /** Whether its last attempt took long, or a running one does. */
  isSlow(id: string): boolean {
    return this.#slowIds.has(id)
  }

  offer(queue: T): void {
    this.#ready.add(queue)
  }

  /** Starts as many attempts as there is room for. */
  dispatch(): void {
    const now = performance.now()
    this.#markSlow(now)
    // A queue that is added again during the loop comes last and is visited again.
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
    const isSent = await this.#send(queue)
    queue.inFlight -= 1
    const isQuick = performance.now() - startedAtMs < limits.slowResponseMs
    if (isSent && isQuick) this.#slowIds.delete(queue.id)
    if (attempt.isSlow) {
      this.#slowCount -= 1
      for (const waiting of this.#waitingForSlowLane) this.#ready.add(waiting)
      this.#waitingForSlowLane.clear()
    } else this.#fastAttempts.delete(attempt)
    this.#ready.add(queue)
    this.dispatch()
  }
}
