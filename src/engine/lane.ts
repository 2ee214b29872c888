/**
 * Writes that wait at the same moment go through one transaction. While a batch runs, the next one
 * collects; there is no timer, so a lone caller waits for nobody. Within a lane the organizations
 * take turns, so that one with many callers does not make the others wait.
 */
import { limits } from '../contract/limits.ts'
import { Refusal } from '../contract/errors.ts'
import type { Reconnecting } from '../database/pool.ts'
import { type Connection, sql } from '../database/sql.ts'
import { type BatchOptions, type Result, overloaded, runBatch } from './batched-write.ts'
import { isOutage, isPassing, unavailable } from './database-failures.ts'
import type { DecidedMember } from './load-rows.ts'
import type { Member, Outcome } from './write-request.ts'

interface Waiting {
  member: DecidedMember
  resolve(outcome: Outcome): void
  reject(error: unknown): void
  since: number
  postponed: number
}

export class Lane {
  readonly #connection: Reconnecting
  readonly #options: Omit<BatchOptions, 'wait'>
  readonly #byOrganization = new Map<string, Waiting[]>()
  #count = 0
  #bytes = 0
  #running: Promise<void> | undefined

  constructor(connection: Reconnecting, options: Omit<BatchOptions, 'wait'>) {
    this.#connection = connection
    this.#options = options
  }

  async perform(member: DecidedMember): Promise<Outcome> {
    if (this.#count >= limits.queueMaxMembers || this.#bytes >= limits.queueMaxBytes) {
      return { kind: 'refused', refusal: overloaded() }
    }
    return new Promise<Outcome>((resolve, reject) => {
      this.#put({ member, resolve, reject, since: performance.now(), postponed: 0 })
      this.#running ??= this.#run()
    })
  }

  async drained(): Promise<void> {
    await this.#running
  }

  #put(waiting: Waiting): void {
    const queue = this.#byOrganization.get(waiting.member.organization)
    if (queue === undefined) this.#byOrganization.set(waiting.member.organization, [waiting])
    else queue.push(waiting)
    this.#count += 1
    this.#bytes += waiting.member.bytes
  }

  /** One of each organization in turn, until the batch is full. */
  #take(): Waiting[] {
    const taken: Waiting[] = []
    let bytes = 0
    while (
      this.#count > 0 &&
      taken.length < limits.batchMaxMembers &&
      bytes < limits.batchMaxBytes
    ) {
      for (const [organization, queue] of this.#byOrganization) {
        if (taken.length >= limits.batchMaxMembers || bytes >= limits.batchMaxBytes) break
        const next = queue.shift()!
        taken.push(next)
        bytes += next.member.bytes
        this.#count -= 1
        this.#bytes -= next.member.bytes
        // Re-inserted behind the others, so that the next batch starts with those.
        this.#byOrganization.delete(organization)
        if (queue.length > 0) this.#byOrganization.set(organization, queue)
      }
    }
    return taken
  }

  async #run(): Promise<void> {
    // Callers of one turn of the event loop share the first batch.
    await new Promise(setImmediate)
    while (this.#count > 0) {
      const [tooLate, batch] = split(this.#take(), isLate)
      for (const waiting of tooLate) waiting.resolve({ kind: 'refused', refusal: overloaded() })
      const [patient, [hurried, ...others]] = split(batch, isPatient)
      if (patient.length > 0) await this.#perform(patient, false)
      // One a round: whoever needs no lock is held up by one wait, not by many.
      for (const waiting of others) this.#put(waiting)
      if (hurried !== undefined) await this.#perform([hurried], true)
    }
    this.#running = undefined
  }

  async #perform(batch: Waiting[], wait: boolean): Promise<void> {
    let results: Result[]
    try {
      const db = await this.#connection.get()
      results = await this.#attempt(db, batch, wait)
    } catch (error) {
      if (batch.length > 1 && !isOutage(error)) {
        // One member's row broke the batch: each gets its own answer, while its time lasts.
        for (const waiting of batch) {
          if (isLate(waiting)) waiting.resolve({ kind: 'refused', refusal: overloaded() })
          else await this.#perform([waiting], wait)
        }
      } else for (const waiting of batch) answerFailure(waiting, error)
      return
    }
    results.forEach((result, i) => {
      const waiting = batch[i]!
      if (result.kind !== 'postponed') return waiting.resolve(result)
      waiting.postponed += 1
      this.#put(waiting)
    })
  }

  async #attempt(db: Connection, batch: Waiting[], wait: boolean): Promise<Result[]> {
    try {
      const members = batch.map((waiting) => waiting.member)
      return await runBatch(db, members, { ...this.#options, wait })
    } catch (error) {
      if (!db.broken) await db.run(sql`rollback`).catch(() => db.destroy())
      throw error
    }
  }
}

const split = <T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] => [
  all.filter(holds),
  all.filter((one) => !holds(one)),
]

const isLate = ({ since }: Waiting): boolean => performance.now() - since > limits.queueMaxWaitMs

/** Not yet often enough postponed to wait for its lock. */
const isPatient = ({ postponed }: Waiting): boolean => postponed < limits.postponeMaxTimes

const answerFailure = (waiting: Waiting, error: unknown): void => {
  if (error instanceof Refusal) waiting.resolve({ kind: 'refused', refusal: error })
  else if (isPassing(error)) {
    waiting.resolve({ kind: 'refused', refusal: unavailable(error) })
  } else waiting.reject(error)
}

export const isDecided = (member: Member): member is DecidedMember =>
  member.write.kind === 'decided'
