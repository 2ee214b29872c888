/**
 * Admits the requests of one class of work, a bounded number at a time. Organizations take turns,
 * and none of them takes all places. The queue is bounded, in all and per organization, and every
 * wait has a deadline; beyond them a request is refused. A caller that hangs up leaves the queue.
 * After expensive work an organization rests for as long as the work took, so that its work in a
 * row fills at most half of the time.
 */
import { unavailable } from '../contract/errors.ts'

export interface QueueLimits {
  running: number
  runningPerOrganization: number
  waiting: number
  waitingPerOrganization: number
  waitMaxMs: number
  /** An organization rests for as long as its work took, up to this. Absent for cheap work. */
  restMaxMs?: number
}

/** On whose behalf work is done. */
export interface Requester {
  organization: string
  /** Aborted when nobody waits for the result any more. */
  signal?: AbortSignal
}

/** The caller hung up before the work was done. */
export class RequestAbandoned extends Error {
  override name = 'RequestAbandoned'
}

interface Waiter {
  admit(): void
  refuse(): void
}

export class FairQueue {
  readonly #limits: QueueLimits
  readonly #runningBy = new Map<string, number>()
  /** By organization; the first one is next. */
  readonly #waitingBy = new Map<string, Set<Waiter>>()
  #running = 0
  #waiting = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Throws a Refusal when the queue is full or the wait too long. */
  async run<T>(requester: Requester, work: () => Promise<T>): Promise<T> {
    const { organization } = requester
    const mayStart = this.#running < this.#limits.running && this.#mayRun(organization)
    // Nobody waits that could run, or it would be running.
    if (mayStart) this.#start(organization)
    else await this.#turn(requester)
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#running -= 1
      this.#rest(organization, performance.now() - startedAt)
      this.#admitNext()
    }
  }

  #turn({ organization, signal }: Requester): Promise<void> {
    if (signal?.aborted === true) throw new RequestAbandoned('the caller hung up')
    const waiters = this.#waitingBy.get(organization) ?? new Set()
    const { waiting, waitingPerOrganization, waitMaxMs } = this.#limits
    if (waiters.size >= waitingPerOrganization) throw tooManyWaiting()
    if (this.#waiting >= waiting) this.#makeRoom(waiters.size + 1)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(deadline)
        signal?.removeEventListener('abort', hangUp)
        waiters.delete(waiter)
        if (waiters.size === 0) this.#waitingBy.delete(organization)
        this.#waiting -= 1
      }
      const give = (error: Error) => {
        leave()
        reject(error)
      }
      const waiter: Waiter = {
        admit: () => {
          leave()
          resolve()
        },
        refuse: () => give(tooManyWaiting()),
      }
      const hangUp = () => give(new RequestAbandoned('the caller hung up'))
      const deadline = setTimeout(() => give(tooManyWaiting()), waitMaxMs)
      signal?.addEventListener('abort', hangUp)
      waiters.add(waiter)
      this.#waitingBy.set(organization, waiters)
      this.#waiting += 1
    })
  }

  /**
   * Refuses the newest of the longest queue, so that many who wait keep nobody from waiting; or
   * throws, if no queue is longer than `length`.
   */
  #makeRoom(length: number): void {
    let longest: Set<Waiter> | undefined
    for (const waiters of this.#waitingBy.values()) {
      if (waiters.size > (longest?.size ?? length)) longest = waiters
    }
    if (longest === undefined) throw tooManyWaiting()
    ;[...longest].at(-1)!.refuse()
  }

  /** Whoever rests takes no place from others. */
  #rest(organization: string, tookMs: number): void {
    const restMs = Math.min(tookMs, this.#limits.restMaxMs ?? 0)
    if (restMs < 1) return this.#end(organization)
    setTimeout(() => {
      this.#end(organization)
      this.#admitNext()
    }, restMs).unref()
  }

  #end(organization: string): void {
    const left = this.#runningBy.get(organization)! - 1
    if (left === 0) this.#runningBy.delete(organization)
    else this.#runningBy.set(organization, left)
  }

  #admitNext(): void {
    for (const [next, waiters] of this.#waitingBy) {
      if (this.#running >= this.#limits.running) return
      if (!this.#mayRun(next)) continue
      const [waiter] = waiters
      this.#start(next)
      waiter!.admit()
      if (waiters.size === 0) continue
      // Re-inserted last, so that the other organizations come first the next time.
      this.#waitingBy.delete(next)
      this.#waitingBy.set(next, waiters)
    }
  }

  #start(organization: string): void {
    this.#running += 1
    this.#runningBy.set(organization, (this.#runningBy.get(organization) ?? 0) + 1)
  }

  #mayRun(organization: string): boolean {
    return (this.#runningBy.get(organization) ?? 0) < this.#limits.runningPerOrganization
  }
}

export const tooManyWaiting = (): Error =>
  unavailable(
    'Too many requests of this kind are waiting. Send the same request again in a second.',
  )
