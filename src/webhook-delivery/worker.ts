/**
 * The delivery worker of one process. One loop talks to the database, in turns: record what was
 * sent, take what is due; between the two nothing else touches what is in hand. Sending goes on
 * beside it. Whatever breaks, an attempt that was not recorded is made again: a second delivery is
 * allowed, a lost one is not.
 */
import type { Context } from '../context.ts'
import { limits } from '../contract/limits.ts'
import { encodeId } from '../core/ids.ts'
import { newId, randomPart } from '../database/new-ids.ts'
import { type Connection, inTransaction } from '../database/sql.ts'
import {
  type Due,
  type Leased,
  claimEndpoints,
  dueDeliveries,
  fanOut,
  leaseEndpoints,
  lockEndpoints,
  lockOwnEndpoints,
  noteStandings,
  recordAttempts,
  releaseAll,
  renewLeases,
  skipDue,
} from '../store/webhooks/delivery-queue.ts'
import { feedChannel } from '../store/webhooks/commit-notice.ts'
import type { Hand } from './endpoint-queue.ts'
import { type Held, Hands } from './in-flight.ts'
import { type Sent, countsToward, metBy, standingsOf } from './endpoint-health.ts'
import { Turns } from './fair-scheduler.ts'

export interface Deliveries {
  /** Takes no more, lets attempts under way end, records them and lets go of everything. */
  stop(): Promise<void>
}

export const openDeliveries = (context: Context): Deliveries => {
  const worker = new Worker(context)
  const ended = worker.run()
  return {
    stop: () => {
      worker.stop()
      return ended
    },
  }
}

class Worker {
  readonly #context: Context
  readonly #owner = newId()
  readonly #database
  readonly #turns = new Turns<Hand>((hand) => this.#send(hand))
  readonly #hands: Hands
  #sent: Sent[] = []
  #lookAtMs = 0
  /** The endpoint at which the last look ended. */
  #lookedUpTo = '00000000-0000-0000-0000-000000000000'
  #lookTookMs = 0
  #restUntilMs = 0
  #renewAtMs = 0
  #isStopped = false
  #isCalled = false
  #wake: () => void = () => {}

  constructor(context: Context) {
    this.#context = context
    this.#hands = new Hands({
      outbound: context.outbound,
      secretKey: context.keyring.endpoints,
      allowsPrivate: context.config.webhooks.allowsPrivate,
      isSlow: (webhook) => this.#turns.isSlow(webhook),
    })
    this.#database = context.database.dedicated('docex deliveries')
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#context.database.hear(feedChannel, () => this.#lookSoon(0))
        await this.#round()
      } catch (error) {
        this.#context.log.failure('task_failed', error, { task: 'deliver-webhooks' })
        this.#lookAtMs = performance.now() + limits.workerPollMs
        await this.#called(limits.workerPollMs)
      }
    }
    await this.#wind()
  }

  stop(): void {
    this.#isStopped = true
    for (const hand of this.#hands.all()) this.#hands.giveUp(hand)
    this.#call()
  }

  async #round(): Promise<void> {
    this.#turns.run()
    await this.#record()
    const now = performance.now()
    const hands = this.#hands.all()
    if (hands.length > 0 && now >= this.#renewAtMs) await this.#renew()
    const isLooking = now >= Math.max(this.#lookAtMs, this.#restUntilMs) && this.#mayLook()
    const asking = hands.filter((hand) => hand.wantsMore()).slice(0, limits.refillsAtOnce)
    if (isLooking || asking.length > 0) await this.#take(asking, isLooking)
    if (this.#sent.length > 0 || this.#hands.done(new Map()).length > 0) return
    // Looking takes as long as there are endpoints: it must not be all that is done.
    const next = Math.max(this.#lookAtMs, this.#restUntilMs)
    await this.#called(Math.min(next, this.#renewAtMs) - performance.now())
  }

  #mayLook(): boolean {
    const hasRoom = this.#hands.hasRoom()
    if (!hasRoom) this.#restUntilMs = performance.now() + limits.handsFullRestMs
    return hasRoom
  }

  /** Attempts under way may take their full time; nothing new is started. */
  async #wind(): Promise<void> {
    try {
      while (this.#turns.inFlight > 0 || this.#sent.length > 0) {
        await this.#record()
        if (this.#turns.inFlight > 0 && this.#sent.length === 0) {
          await this.#called(limits.workerPollMs)
        }
      }
      await this.#transaction((tx) => releaseAll(tx, this.#owner))
    } catch (error) {
      // The leases run out by themselves; what was not recorded is sent again.
      this.#context.log.failure('task_failed', error, { task: 'deliver-webhooks' })
    }
    for (const hand of this.#hands.all()) this.#hands.letGo(hand)
  }

  async #send(hand: Hand): Promise<void> {
    const due = hand.next()
    const attempted = await hand.send(due)
    const met = metBy(due, attempted, {
      scheduleMs: this.#context.config.webhooks.retryMs,
      nowMs: Date.now(),
      chance: randomPart(4).readUInt32BE() / 2 ** 32,
    })
    this.#sent.push({ ...met, counts: countsToward(due) })
    hand.unrecorded += 1
    this.#context.metrics.count('docex_webhook_attempts_total', `status="${met.status}"`)
    this.#call()
  }

  async #record(): Promise<void> {
    const sent = this.#sent.slice(0, limits.recordMaxDeliveries)
    const counts = new Map<string, number>()
    for (const { webhook_id } of sent) counts.set(webhook_id, (counts.get(webhook_id) ?? 0) + 1)
    const done = this.#hands.done(counts)
    if (sent.length === 0 && done.length === 0) return
    const released = new Map(done.map((hand) => [hand.id, hand.dueAgainMs()]))
    const standings = standingsOf(sent, released)
    const ids = standings.map(({ webhook_id }) => webhook_id)
    const [, , disabled] = await this.#transaction((tx) =>
      Promise.all([
        lockEndpoints(tx, ids),
        recordAttempts(tx, sent),
        noteStandings(tx, this.#owner, standings),
      ]),
    )
    this.#sent = this.#sent.slice(sent.length)
    for (const one of sent) {
      this.#hands.noteRecorded(one)
      if (one.retry_ms !== null) this.#lookSoon(one.retry_ms)
    }
    for (const hand of done) this.#hands.letGo(hand)
    for (const againMs of released.values()) if (againMs !== null) this.#lookSoon(againMs)
    for (const id of disabled) {
      const hand = this.#hands.get(id)
      if (hand !== undefined) this.#hands.giveUp(hand)
    }
  }

  async #renew(): Promise<void> {
    const until = performance.now() + limits.workerLeaseMs
    const database = await this.#database.get()
    const kept = new Map(
      (await renewLeases(database, this.#owner)).map((endpoint) => [endpoint.id, endpoint]),
    )
    this.#renewAtMs = performance.now() + limits.workerRenewMs
    for (const hand of this.#hands.all()) {
      const endpoint = kept.get(hand.id)
      if (endpoint !== undefined) hand.renew(endpoint, until)
      // Taken over, or deleted: whoever has it now sends what is left.
      const isOver = endpoint === undefined || endpoint.status === 'DISABLED'
      if (isOver || !hand.canOpenSecrets()) this.#hands.giveUp(hand)
      this.#turns.offer(hand)
    }
    this.#turns.run()
  }

  async #take(asking: readonly Hand[], isLooking: boolean): Promise<void> {
    const startedAt = performance.now()
    const full = this.#hands.all().filter((hand) => hand.isFull())
    if (isLooking) {
      const idleMs = Math.max(limits.workerPollMs, limits.lookIdleFactor * this.#lookTookMs)
      this.#lookAtMs = startedAt + idleMs
    }
    const taken = await this.#transaction(async (tx) => {
      const own = await lockOwnEndpoints(tx, this.#owner, idsOf(asking))
      const found = isLooking ? await this.#look(tx, full) : []
      const ids = [...new Set([...own, ...found])]
      const idle = ids.filter((id) => this.#hands.get(id) === undefined)
      if (ids.length === 0) return undefined
      const wanted = ids.map((id) => this.#hands.wanted(id))
      const [more, , due, leased] = await Promise.all([
        fanOut(tx, ids),
        skipDue(tx, idle),
        dueDeliveries(tx, wanted),
        leaseEndpoints(tx, this.#owner, ids),
      ])
      const most = new Map(wanted.map((one) => [one.id, one.most]))
      return { more: new Set(more), due: Map.groupBy(due, (one) => one.webhook_id), leased, most }
    })
    // What they were not told of is for them to ask for, once they have room.
    if (isLooking) for (const hand of full) hand.mayHaveMore = true
    if (taken === undefined) return
    const until = startedAt + limits.workerLeaseMs
    for (const endpoint of taken.leased) {
      const { id } = endpoint
      this.#hold(endpoint, taken.due.get(id) ?? [], { most: taken.most.get(id)!, until })
      if (!taken.more.has(id)) continue
      if (endpoint.status === 'DISABLED') this.#lookSoon(0)
      else this.#hands.get(id)!.hasMoreToFanOut()
    }
    this.#turns.run()
  }

  /** Where there is more to be found, the next look does not wait. */
  async #look(tx: Connection, full: readonly Hand[]): Promise<string[]> {
    const startedAt = performance.now()
    const after = this.#lookedUpTo
    const found = await claimEndpoints(tx, { owner: this.#owner, full: idsOf(full), after })
    const now = performance.now()
    this.#lookedUpTo = found.at(-1) ?? after
    this.#lookTookMs = now - startedAt
    if (found.length === limits.claimEndpointsMax) this.#lookSoon(0)
    else this.#restUntilMs = now + limits.lookRestFactor * this.#lookTookMs
    return found
  }

  #hold(endpoint: Leased, due: readonly Due[], held: Held): void {
    if (endpoint.status === 'DISABLED') {
      const hand = this.#hands.get(endpoint.id)
      if (hand !== undefined) this.#hands.giveUp(hand)
      return
    }
    const hand = this.#hands.hold(endpoint, due, held)
    if (hand.canOpenSecrets()) return this.#turns.offer(hand)
    // A fault of ours: it costs the delivery no attempt.
    this.#hands.giveUp(hand)
    const error = new Error('the signing secret of an endpoint cannot be opened')
    const webhook = encodeId('whk', endpoint.id)
    this.#context.log.failure('webhook_secret_unreadable', error, { webhook })
  }

  async #transaction<T>(work: (tx: Connection) => Promise<T>): Promise<T> {
    return inTransaction(await this.#database.get(), work)
  }

  #lookSoon(inMs: number): void {
    this.#lookAtMs = Math.min(this.#lookAtMs, performance.now() + inMs)
    this.#call()
  }

  #call(): void {
    this.#isCalled = true
    this.#wake()
  }

  /** Waits until there is something to do, or so long. */
  async #called(atMostMs: number): Promise<void> {
    if (!this.#isCalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, atMostMs))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isCalled = false
  }
}

const idsOf = (hands: readonly Hand[]): string[] => hands.map(({ id }) => id)
